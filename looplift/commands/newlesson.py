"""`looplift new-lesson`: begin a lesson."""

from __future__ import annotations

import json
import sys

import typer

from looplift.commands.fault import one_line_errors, stop


def add(app: typer.Typer) -> None:
    @app.command("new-lesson")
    def new_lesson(
        name: str = typer.Argument(..., metavar="NAME", help="Small letters, digits and _; no number."),
        as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    ) -> None:
        """Begin a lesson with the next free number, in a clone: it runs, and says what you have to write.

        Example: looplift new-lesson gathered_loss
        """
        with one_line_errors():
            try:
                from looplift.build.newlesson import begin_lesson
            except ImportError as error:
                raise stop(f"writing lessons needs {error.name}: pip install 'looplift[author]'.") from None
            begun = begin_lesson(name)
        lesson = begun.lesson
        if as_json:
            sys.stdout.write(json.dumps({"lesson": lesson.name, "files": begun.files}, indent=1) + "\n")
            return
        print(f"{lesson.name} is begun:")
        for file in begun.files:
            print(f"  {file}")
        print(f"What to write, in which order: looplift build --check {lesson.number}")
        print("How: CONTRIBUTING.md, from the top.")
