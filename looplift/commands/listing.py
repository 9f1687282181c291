"""`looplift list`: the lessons of the course; in a student's own folder with their points."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors
from looplift.desk import Desk, find_desk, standings
from looplift.desk.text import NARROW, print_list, put, spelled
from looplift.lesson import Lesson, lessons


def add(app: typer.Typer) -> None:
    @app.command("list")
    def list_lessons(
        as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    ) -> None:
        """List the lessons, in order; in your own folder with what is done. Example: looplift list"""
        with one_line_errors():
            desk = find_desk()
            every = lessons()
            if as_json:
                print(json.dumps(_as_data(every, desk), ensure_ascii=False, indent=1))
            elif desk is not None:
                print_list(standings(desk), screen(), desk.lesson_at(Path.cwd()))
            else:
                _print_lessons(every, screen())


def _as_data(every: list[Lesson], desk: Desk | None) -> list[dict[str, object]]:
    """What the lessons say of themselves; in a student's folder also where they lie there, and the notes."""
    rows: list[dict[str, object]] = [
        {"lesson": it.name, "folder": str(it.folder), **it.about} for it in every
    ]
    if desk is not None:
        for row, it in zip(rows, standings(desk), strict=True):
            row |= it.as_data() | {"folder": str(desk.place(it.lesson))}
    return rows


def _print_lessons(every: list[Lesson], console: Console) -> None:
    if console.width < NARROW:
        for it in every:
            put(console, it.name, "bold")
            title = f"{it.title}, {it.about.get('minutes', '?')} minutes"
            put(
                console,
                textwrap.fill(title, max(console.width, 20), initial_indent="    ", subsequent_indent="    "),
            )
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("lesson", "title", "minutes", "difficulty", "teaches"):
        table.add_column(heading, overflow="fold")
    for it in every:
        about = it.about
        cells = (
            it.name,
            it.title,
            *(str(about.get(key, "")) for key in ("minutes", "difficulty", "teaches")),
        )
        table.add_row(*(spelled(cell, console) for cell in cells))
    console.print(table)
