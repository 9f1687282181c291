"""How a command says that it cannot run: one line on stderr, exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from looplift.fault import KitError
from looplift.lesson import LessonError


def stop(why: str) -> typer.Exit:
    """Print why and return the exit to raise."""
    typer.echo(f"looplift: {why}", err=True)
    return typer.Exit(2)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn the errors that the kit foresees into one line."""
    from looplift.classroom.course import CourseError
    from looplift.submission import SubmissionError

    try:
        yield
    except (LessonError, SubmissionError, CourseError, KitError) as error:
        raise stop(str(error)) from None
    except OSError as error:
        raise stop(f"{error.strerror or error}: {error.filename or ''}".rstrip(": ")) from None
