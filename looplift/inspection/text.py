"""A reading as text: each line to change with its source, its kind, a sentence and what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from looplift.inspection.reading import Reading, Unsaid
from looplift.verdict import Place
from looplift.verdict.text import visible

WIDEST = 100  # columns
SHOWN = 8  # lines that a question names
_INDENT = " " * 4
# What a script is; a word for what is found and what that is for; what is said when nothing is.
_HEADS = {
    "accelerate": (
        "uses Accelerate",
        "thing",
        "wrong in its use",
        "nothing wrong in its use that the text shows",
    ),
    "plain": ("is a plain PyTorch loop", "change", "to run it with Accelerate", "nothing to change"),
    "trainer": (
        "leaves the loop to a Trainer",
        "",
        "",
        "nothing to change: it runs on several processes by itself",
    ),
    "nothing": ("trains nothing that I can see", "", "", "nothing to change"),
}


def render(reading: Reading, width: int = 80, ascii_only: bool = False) -> str:
    """The reading as plain text, in lines of at most `width` columns."""
    return "\n".join(line.plain.rstrip() for line in _lines(reading, min(width, WIDEST), ascii_only))


def show(reading: Reading, console: Console) -> None:
    """Print the reading as wide as the console, coloured where it has colours."""
    for line in _lines(reading, min(console.width, WIDEST), console.options.ascii_only):
        console.print(line, soft_wrap=True, highlight=False)


def _lines(reading: Reading, width: int, ascii_only: bool) -> Iterator[Text]:
    what, thing, purpose, none = _HEADS[reading.uses]
    count = len(reading.found)
    said = f"{count} {thing}{'' if count == 1 else 's'} {purpose}" if count else none
    yield from _wrapped(f"{_spelled(reading.file, ascii_only)} {what}: {said}.", width, "", "bold")
    before: Place | None = None
    for found in reading.found:
        if found.where != before:
            yield Text("")
            yield _line(found.where, width, ascii_only)
        before = found.where
        yield from _wrapped(f"{found.saw} [{found.kind}]", width, _INDENT, "")
        yield from _wrapped(f"next  {found.next}", width, _INDENT, "bold", hang=6)
    if reading.unknown:
        yield Text("")
        yield Text("The text cannot tell:", "bold")
        for unsaid in reading.unknown:
            yield from _unsaid(unsaid, width)
    if reading.found or any(it.kind for it in reading.unknown):
        yield Text("")
        yield from _wrapped(
            "More about a kind: looplift explain KIND, the word in [brackets].", width, "", "dim"
        )


def _line(place: Place, width: int, ascii_only: bool) -> Text:
    """Where, and the line itself as far as there is room."""
    at, code = _at(place), _spelled(place.source, ascii_only)
    room = max(width - len(at) - 4, 10)
    return Text.assemble("  ", (at, "cyan"), "  ", code if len(code) <= room else code[: room - 3] + "...")


def _unsaid(unsaid: Unsaid, width: int) -> Iterator[Text]:
    shown = [_at(it) for it in unsaid.lines[:SHOWN]]
    more = len(unsaid.lines) - len(shown)
    lines = f" ({', '.join(shown)}{f' and {more} more' if more > 0 else ''})" if shown else ""
    kind = f" [{unsaid.kind}]" if unsaid.kind else ""
    yield from _wrapped(f"- {unsaid.question}{lines}{kind}", width, "  ", "", hang=2)


def _at(place: Place) -> str:
    return f"cell {place.cell}, line {place.line}" if place.cell is not None else f"line {place.line}"


def _spelled(text: str, ascii_only: bool) -> str:
    text = visible(text)
    return text.encode("ascii", "backslashreplace").decode() if ascii_only else text


def _wrapped(text: str, width: int, indent: str, style: str, hang: int = 0) -> Iterator[Text]:
    room = max(width - len(indent), 24)
    for line in textwrap.wrap(text, room, subsequent_indent=" " * hang, break_on_hyphens=False):
        yield Text(indent + line, style)
