"""`looplift site`: the whole course as pages that need no server."""

from __future__ import annotations

from pathlib import Path

import typer

from looplift.commands.fault import one_line_errors
from looplift.lesson import lessons


def add(app: typer.Typer) -> None:
    @app.command()
    def site(
        out: Path = typer.Argument(..., metavar="OUT", help="A new or empty folder, or an earlier site."),
    ) -> None:
        """Write the course as a static site, without solutions. Example: looplift site public"""
        with one_line_errors():
            from looplift.site import write_site

            written = write_site(out, lessons())
            kinds = f" and {written.mistakes} kinds of mistakes" if written.mistakes else ""
            print(f"Wrote {written.lessons} lessons{kinds}: open {written.index}")
