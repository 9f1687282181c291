"""A page on a kind of mistake as text, and the list of all of them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from looplift.kinds.kind import GROUPS, Kind

WIDEST = 100  # columns
_LABEL = 10


def taught(kind: Kind) -> str:
    """Where a kind is taught, in words."""
    if not kind.lessons:
        return "not yet in the course"
    return f"lesson{'' if len(kind.lessons) == 1 else 's'} {', '.join(kind.lessons)}"


def show_kind(kind: Kind, console: Console) -> None:
    """Print a page."""
    _print(console, _page(kind, min(console.width, WIDEST)))


def show_all(every: Sequence[Kind], console: Console) -> None:
    """Print the names and titles of all kinds, group by group."""
    _print(console, _list(every, min(console.width, WIDEST)))


def render_kind(kind: Kind, width: int = 80) -> str:
    """A page as plain text."""
    return "\n".join(line.plain.rstrip() for line in _page(kind, width))


def _print(console: Console, lines: Iterator[Text]) -> None:
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False)


def _page(kind: Kind, width: int) -> Iterator[Text]:
    numbers = f"  ({', '.join(kind.numbers)})" if kind.numbers else ""
    yield Text.assemble((kind.id, "bold cyan"), (numbers, "dim"))
    yield from _filled(kind.title, width, "bold")
    yield Text("")
    yield from _filled(_plain(kind.happens), width)
    yield Text("")
    yield from _filled(_plain(kind.why), width)
    for label, code, style in (("wrong", kind.wrong, "red"), ("right", kind.right, "green")):
        if code:
            yield Text("")
            yield Text(label, f"bold {style}")
            yield from (Text(f"    {line}") for line in code.splitlines())
    yield Text("")
    for label, text in (
        ("see it", _plain(kind.how_to_see)),
        ("taught in", taught(kind)),
        ("source", kind.source),
    ):
        yield from _labelled(label, text, width)


def _labelled(label: str, text: str, width: int) -> Iterator[Text]:
    lines = textwrap.wrap(text, max(width - _LABEL, 24), break_on_hyphens=False, break_long_words=False)
    for index, line in enumerate(lines):
        yield Text.assemble((f"{label if index == 0 else '':<{_LABEL}}", "dim"), line)


def _filled(text: str, width: int, style: str = "") -> Iterator[Text]:
    for line in textwrap.wrap(text, max(width, 24), break_on_hyphens=False, break_long_words=False):
        yield Text(line, style)


def _plain(text: str) -> str:
    """Markdown's marks of code left as they are: a terminal reader knows them. Links lose nothing."""
    return re.sub(r"\s+", " ", text)


def _list(every: Sequence[Kind], width: int) -> Iterator[Text]:
    wide = max(len(it.id) for it in every) + 2
    for group in GROUPS:
        inside = [it for it in every if it.group == group]
        if not inside:
            continue
        yield Text(group.title, "bold")
        for kind in inside:
            room = width - wide - 2
            if room < 24:
                yield Text(f"  {kind.id}", "cyan")
                yield from (Text(f"    {line.plain}") for line in _filled(kind.title, width - 4))
                continue
            titles = list(_filled(kind.title, room))
            yield Text.assemble("  ", (f"{kind.id:<{wide}}", "cyan"), titles[0])
            yield from (Text(" " * (wide + 2) + it.plain) for it in titles[1:])
        yield Text("")
    yield from _filled(f"{len(every)} kinds. The page of one: looplift explain KIND", width, "dim")
