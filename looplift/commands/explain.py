"""`looplift explain`: the page on a kind of mistake."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors, stop
from looplift.kinds import Kind, UnknownKindError, find_kind, kinds


def kind_words(incomplete: str) -> list[str]:
    """Ids that begin as typed, for a shell's completion."""
    return [it.id for it in kinds() if it.id.startswith(incomplete.lower())]


def add(app: typer.Typer) -> None:
    @app.command()
    def explain(
        kind: str = typer.Argument(
            None,
            metavar="[KIND]",
            help="A kind of mistake: the word in [brackets] of a verdict. All are listed when none is given.",
            autocompletion=kind_words,
        ),
        as_json: bool = typer.Option(False, "--json", help="Print the page, or all pages, as JSON."),
    ) -> None:
        """Explain a kind of mistake: what happens, why, wrong and right, where it is taught, how to see it.

        Example: looplift explain unprepared-loader
        """
        with one_line_errors():
            try:
                found = find_kind(kind) if kind is not None else None
            except UnknownKindError as error:
                raise stop(str(error)) from None
            if as_json:
                data = _plain(found) if found else [_plain(it) for it in kinds()]
                print(json.dumps(data, ensure_ascii=False, indent=1))
                return
            from looplift.kinds.text import show_all, show_kind

            if found is not None:
                show_kind(found, screen())
            else:
                show_all(kinds(), screen())


def _plain(kind: Kind) -> dict[str, object]:
    """A page for a program: its group by name."""
    return {**asdict(kind), "group": kind.group.name}
