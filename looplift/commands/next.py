"""`looplift next`: the next exercise."""

from __future__ import annotations

import json

import typer

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors
from looplift.desk import next_up, open_desk, standings
from looplift.desk.text import print_next


def add(app: typer.Typer) -> None:
    @app.command("next")
    def next_exercise(as_json: bool = typer.Option(False, "--json", help="Print JSON.")) -> None:
        """Say which exercise is next, and what to type. Example: looplift next"""
        with one_line_errors():
            desk = open_desk()
            every = standings(desk)
            up = next_up(every)
            if as_json:
                data = None if up is None else up.as_data() | {"folder": str(desk.place(up.lesson))}
                print(json.dumps(data, ensure_ascii=False, indent=1))
            else:
                print_next(up, every, desk, screen())
