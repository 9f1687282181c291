"""`looplift hint`: one level more of a lesson's hints."""

from __future__ import annotations

import typer

from looplift.commands.completion import lesson_words
from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors
from looplift.desk import lesson_meant, open_desk
from looplift.desk.text import print_hint, tell
from looplift.desk.unfolding import unfold


def add(app: typer.Typer) -> None:
    @app.command()
    def hint(
        lesson: str = typer.Argument(
            None, help="The lesson; the one you are at when not given.", autocompletion=lesson_words
        ),
        again: bool = typer.Option(False, "--again", help="Show the last hint once more, not one more."),
    ) -> None:
        """Show one hint more, from where to look to nearly the code. Example: looplift hint 01"""
        with one_line_errors():
            desk = open_desk()
            meant = lesson_meant(desk, lesson)
            shown = unfold(desk, meant, again)
            console = screen()
            if shown.hint is not None:
                print_hint(shown.hint, meant, console)
            tell(console, shown.sentence)
