"""`looplift reset`: the exercise as it was given."""

from __future__ import annotations

import typer

from looplift.commands.completion import lesson_words
from looplift.commands.fault import one_line_errors
from looplift.desk import open_desk, put_back
from looplift.desk.text import near
from looplift.lesson import find_lesson


def add(app: typer.Typer) -> None:
    @app.command()
    def reset(
        lesson: str = typer.Argument(
            ..., help="The lesson: its number or name.", autocompletion=lesson_words
        ),
    ) -> None:
        """Put an exercise back as it was given; yours is kept beside it as a backup. Example: looplift reset 01"""
        with one_line_errors():
            desk = open_desk()
            meant = find_lesson(lesson)
            backup = put_back(desk, meant)
        print(f"{near(desk.place(meant) / meant.exercise.name)} is as it was given.")
        if backup is not None:
            print(f"What you had is kept in {near(backup)}.")
        print("Is it open in Jupyter? Then take File, Reload Notebook from Disk there.")
