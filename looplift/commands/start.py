"""`looplift start`: a student's own copy of the lessons."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors
from looplift.desk import Started, find_desk, next_up, standings
from looplift.desk import start as start_desk
from looplift.desk.text import near, print_next, put

FOLDER = "looplift-course"


def add(app: typer.Typer) -> None:
    @app.command()
    def start(
        folder: Path = typer.Argument(
            None, metavar="DIR", help=f"Where to put the lessons: ./{FOLDER} when not given."
        ),
        as_json: bool = typer.Option(False, "--json", help="Print what was done as JSON."),
    ) -> None:
        """Copy the lessons to a folder of your own. Run again, it adds what is missing and overwrites nothing.

        Example: looplift start
        """
        with one_line_errors():
            around = None if folder else find_desk()
            started = start_desk(folder or (around.folder if around else Path(FOLDER)))
            every = standings(started.desk)
            up = next_up(every)
            if as_json:
                said = {"folder": str(started.desk.folder), "new": started.new, "added": started.added}
                print(json.dumps(said | {"next": up.as_data() if up else None}, ensure_ascii=False, indent=1))
                return
            console = screen()
            put(console, _what_was_done(started, len(every)))
            here = Path.cwd().resolve()
            if here != started.desk.folder and started.desk.folder not in here.parents:
                here = started.desk.folder
                put(console, f"Go there: cd {near(here)}")
            print_next(up, every, started.desk, console, here)


def _what_was_done(started: Started, lessons: int) -> str:
    files = f"{len(started.added)} file{'' if len(started.added) == 1 else 's'}"
    where = near(started.desk.folder)
    if started.new:
        return f"Your course is in {where}: {lessons} lessons, {files} copied."
    if started.added:
        were = "was" if len(started.added) == 1 else "were"
        return f"Your course in {where}: {files} {were} missing and {were} added; what is yours was left as it is."
    return f"Your course in {where} is complete; nothing was changed."
