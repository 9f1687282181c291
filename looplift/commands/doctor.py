"""`looplift doctor`: what this machine is, and what to do where it is not as the course needs it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import typer

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors
from looplift.desk import find_desk
from looplift.desk.text import put
from looplift.verdict.text import WIDEST


def add(app: typer.Typer) -> None:
    @app.command()
    def doctor(
        launch: bool = typer.Option(False, "--launch", help="Also launch two processes, for real."),
        as_json: bool = typer.Option(False, "--json", help="Print the facts and the lines as JSON."),
    ) -> None:
        """Check this machine, one line for each thing; put its output into a bug report. Example: looplift doctor

        Exit code 0: nothing to mend, 1: something to mend, 2: cannot run.
        """
        with one_line_errors():
            from looplift.doctor import lines, look, mended, report

            desk = find_desk()
            facts = look(desk.folder if desk else Path.cwd())
            if launch and facts.torch and facts.fork:
                from looplift.doctor.launch import launch as try_launch

                facts = replace(facts, launched=try_launch())
            said = lines(facts)
            if as_json:
                data = {"facts": facts.as_data(), "lines": [asdict(line) for line in said]}
                print(json.dumps(data, ensure_ascii=False, indent=1))
            else:
                console = screen()
                # In a pipe or a file each line stays one, to be searched and pasted.
                put(console, report(said, min(console.width, WIDEST) if console.is_terminal else None))
        raise typer.Exit(0 if mended(said) else 1)
