"""`looplift` alone and `looplift status`: where a student is and what is next."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors
from looplift.commands.start import FOLDER
from looplift.desk import Desk, find_desk, next_up, standings
from looplift.desk.text import print_next, put, sum_of

OUTSIDE = """\
looplift: refactor a plain PyTorch loop to Hugging Face Accelerate, judged on two real processes.

  looplift start       copy the lessons to a folder of your own, and begin
  looplift list        which lessons there are
  looplift course DIR  a course for a class, graded with nbgrader
  looplift --help      all commands"""


def add(app: typer.Typer) -> None:
    @app.command()
    def status(as_json: bool = typer.Option(False, "--json", help="Print JSON.")) -> None:
        """Say where you are and what is next; `looplift` alone says the same. Example: looplift status"""
        show_status(as_json)


def show_status(as_json: bool = False) -> None:
    """Inside a course: lessons done, points, the next exercise. Elsewhere: how to start."""
    with one_line_errors():
        desk = find_desk()
        if desk is None:
            _outside(as_json)
        elif as_json:
            print(json.dumps(_as_data(desk), ensure_ascii=False, indent=1))
        else:
            console = screen()
            every = standings(desk)
            put(console, f"{desk.folder.name}: {sum_of(every)}")
            print_next(next_up(every), every, desk, console)


def _as_data(desk: Desk) -> dict[str, object]:
    every = standings(desk)
    up = next_up(every)
    return {
        "folder": str(desk.folder),
        "done": sum(it.note.passed for it in every),
        "lessons": len(every),
        "points": sum(it.note.points for it in every),
        "possible": sum(it.possible for it in every),
        "next": up.as_data() if up else None,
    }


def _outside(as_json: bool) -> None:
    if as_json:
        print(json.dumps({"folder": None, "next": None}))
        return
    print(OUTSIDE)
    below = Path(FOLDER)
    if find_desk(below) == Desk(below.resolve()):
        print(f"\nYour course is in ./{FOLDER}: cd {FOLDER}")
