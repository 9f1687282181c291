"""`looplift course DIR`: a new nbgrader course, or more lessons for one."""

from __future__ import annotations

from pathlib import Path

import typer

from looplift.commands.fault import one_line_errors
from looplift.lesson import find_lesson, lessons


def add(app: typer.Typer) -> None:
    @app.command()
    def course(
        folder: Path = typer.Argument(
            ..., help="Where the course shall be: a new or empty folder, or a course."
        ),
        lesson: list[str] = typer.Option(None, "--lesson", "-l", help="Only these lessons."),
    ) -> None:
        """Make an ordinary nbgrader course directory with the lessons in it. Example: looplift course ddp-2027"""
        with one_line_errors():
            from looplift.classroom import make_course

            chosen = [find_lesson(it) for it in lesson] if lesson else lessons()
            made = make_course(folder, chosen)
        print(
            f"The course is in {made.folder}"
            + (f", with {', '.join(made.added)} added." if made.added else ".")
        )
        print("Next, in that folder: nbgrader generate_assignment " + chosen[0].name)
