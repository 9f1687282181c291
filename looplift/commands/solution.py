"""`looplift solution`: the model solution beside the student's own."""

from __future__ import annotations

import typer

from looplift.commands.completion import lesson_words
from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors, stop
from looplift.desk import open_desk
from looplift.desk.solution import beside
from looplift.desk.text import put
from looplift.lesson import find_lesson


def add(app: typer.Typer) -> None:
    @app.command()
    def solution(
        lesson: str = typer.Argument(
            ..., help="The lesson: its number or name.", autocompletion=lesson_words
        ),
        give_up: bool = typer.Option(False, "--give-up", help="Show it although the lesson has not passed."),
    ) -> None:
        """Show the model solution beside yours, once the lesson has passed. Example: looplift solution 01"""
        with one_line_errors():
            desk = open_desk()
            meant = find_lesson(lesson)
            passed = desk.note(meant).passed
            if not passed and not give_up:
                raise stop(
                    f"{meant.number} {meant.slug} has not passed a check yet. `looplift hint {meant.number}` helps "
                    f"on; or read the solution now: looplift solution {meant.number} --give-up"
                )
            diff = beside(desk.work(meant), meant)
            console = screen()
            if not passed:
                desk.change(meant, gave_up=True)
                put(console, "That is all right: reading a good answer is a way to learn, too.")
                put(console, "Close it when it is clear to you, and write it again from memory.")
            put(console, "Another way is not a worse way: what counts is what the loop does.")
            put(console)
            from looplift.diff.terminal import show

            show(diff, console)
