"""`looplift inspect`: read any training script without running it."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors, stop


def add(app: typer.Typer) -> None:
    @app.command("inspect")
    def inspect_script(
        path: Path = typer.Argument(
            ..., metavar="FILE", help="A training script (.py) or notebook (.ipynb)."
        ),
        as_json: bool = typer.Option(False, "--json", help="Print what was found as JSON."),
    ) -> None:
        """Read a training script, without running it: what would have to change to run it with Accelerate, or what is
        wrong in its use of Accelerate, by kind and line.

        Example: looplift inspect train.py

        Exit code 0: nothing to change, 1: something, 2: cannot read the file.
        """
        with one_line_errors():
            from looplift.inspection import UnreadableError, inspect_file
            from looplift.inspection.text import show

            try:
                reading = inspect_file(path)
            except UnreadableError as error:
                raise stop(str(error)) from None
            if as_json:
                sys.stdout.write(reading.to_json() + "\n")
            else:
                show(reading, screen())
        raise typer.Exit(1 if reading.found else 0)
