"""`looplift watch`: check at every save."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any

import typer

from looplift.commands.completion import lesson_words
from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors, stop
from looplift.desk import lesson_meant, open_desk


def add(app: typer.Typer) -> None:
    @app.command()
    def watch(
        lesson: str = typer.Argument(
            None, help="The lesson; the one you are at when not given.", autocompletion=lesson_words
        ),
        poll: bool = typer.Option(
            False, "--poll", help="Look for saves instead of waiting for file events (or LOOPLIFT_POLL=1)."
        ),
    ) -> None:
        """Check your exercise at every save. Keys: next, hint, diff, reset, list, quit. Example: looplift watch 01

        It watches exercise.ipynb and exercise.py in the lesson's folder, and goes on to no other lesson by itself.
        In a pipe, type a key and Enter.
        """
        with one_line_errors():
            try:
                from looplift.watching import Watch
                from looplift.watching.keys import Keys
                from looplift.watching.screen import Screen
                from looplift.watching.warm import WarmJudge
            except ImportError as error:
                raise stop(f"watch needs {error.name}, which is not here: use Linux, macOS or WSL.") from None
            desk = open_desk()
            meant = lesson_meant(desk, lesson)
            for sign in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(sign, _leave)
            # Ctrl-C is as good a way to leave as q: when it arrives here, everything is ended.
            with contextlib.suppress(KeyboardInterrupt), Keys(_input()) as keys:
                Watch(desk, meant, Screen(screen()), keys, WarmJudge(), poll).run()


def _leave(number: int, _: Any) -> None:
    """End as `q` does, by an exception: the terminal is set as it was on the way out."""
    sys.exit(128 + number)


def _input() -> int | None:
    """The descriptor of standard input; None when there is none."""
    try:
        number = sys.stdin.fileno()
        os.fstat(number)
    except (AttributeError, OSError, ValueError):
        return None
    return number
