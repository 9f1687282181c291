"""The diff in a terminal: side by side, or in one column where there is no room for two."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from rich.cells import cell_len, get_character_cell_size
from rich.console import Console
from rich.text import Text

from looplift.diff.diff import Diff
from looplift.diff.pairing import Line, Row

_BREAKS = " ([{.,"  # a line too long for its column is cut after one of these, not inside a name
NARROW = 80  # columns: below this the diff is shown in one column
_WORD_STYLE = {"-": "bold underline red", "+": "bold underline green"}
_LINE_STYLE = {"-": "red", "+": "green"}


@dataclass(frozen=True)
class _Paper:
    """What the terminal can show. carets: point at changed words below the line, as styles are lost."""

    width: int
    ascii: bool
    carets: bool


def show(diff: Diff, console: Console, headed: bool = True) -> None:
    """Print the diff as wide, as colourful and in the characters that this console can show.

    Changed lines have a sign in the gutter. Changed words are bold and underlined, not only coloured;
    where nothing can be styled (a pipe, a file, TERM=dumb), carets point at them.
    headed: begin with what the diff is, and what the signs mean. Rows that are left out of the diff
    leave a line of dots.
    """
    paper = _Paper(console.width, console.options.ascii_only, carets=console.color_system is None)
    for line in _head(diff, paper) if headed else []:
        console.print(line, overflow="fold", highlight=False)
    draw = _side_by_side if paper.width >= NARROW else _one_column
    for line in draw(diff, paper):
        console.print(line, soft_wrap=True, highlight=False)


def render(diff: Diff, width: int = 100, style: Literal["unicode", "ascii"] = "unicode") -> str:
    """The diff as plain text without colours, no line longer than `width`."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="utf-8" if style == "unicode" else "ascii")
    show(diff, Console(file=file, width=width, color_system=None, legacy_windows=False, force_jupyter=False))
    file.flush()
    return "\n".join(line.rstrip() for line in raw.getvalue().decode("utf-8").split("\n")).rstrip("\n")


def _head(diff: Diff, paper: _Paper) -> list[Text]:
    signs = "~ changed  - removed  + added" if paper.width >= NARROW else "- before  + after"
    title = f"{diff.title}: {diff.summary}" if diff.title else diff.summary
    return [
        Text(_spelled(title, paper), style="bold"),
        Text(signs + ("  ^ changed word" if paper.carets else ""), style="dim"),
    ]


def _side_by_side(diff: Diff, paper: _Paper) -> Iterator[Text]:
    digits = _digits(diff)
    gutter = digits + 3  # "12 ~ "
    bar = " | " if paper.ascii else " │ "
    room, rest = _rooms(diff, paper, paper.width - len(bar) - 2 * gutter)
    dash, cross = ("-", "-+-") if paper.ascii else ("─", "─┼─")
    left_name = diff.left_name + " " * (room - cell_len(diff.left_name))
    yield Text(" " * gutter + left_name + bar + " " * gutter + diff.right_name, style="bold")
    yield Text(dash * (gutter + room) + cross + dash * (gutter + rest))
    for row in _with_gaps(diff):
        if row is None:
            yield Text(" " * (digits - 1) + ("..." if paper.ascii else "⋮"), style="dim")
            continue
        left = _cell(row.left, row, "-", digits, room, paper)
        right = _cell(row.right, row, "+", digits, rest, paper)
        for mine, other in zip_longest(left, right):
            mine = mine if mine is not None else Text()
            mine.pad_right(gutter + room - mine.cell_len)
            yield Text.assemble(mine, (bar, "dim"), other if other is not None else Text())


def _rooms(diff: Diff, paper: _Paper, free: int) -> tuple[int, int]:
    """Share `free` columns between the programs: half each, more for one where the other leaves some."""
    left, right = (
        max(cell_len(text) for text in (name, *(_spelled(line.text, paper) for line in lines)))
        for name, lines in ((diff.left_name, diff.left), (diff.right_name, diff.right))
    )
    room = min(left, max(free // 2, free - right))
    return room, min(right, free - room)


def _cell(line: Line | None, row: Row, side: str, digits: int, room: int, paper: _Paper) -> list[Text]:
    """One side of a row: number, sign and text, as many lines as it takes."""
    if line is None:
        return []
    sign = {"same": " ", "changed": "~"}.get(row.kind, side)
    style = "" if row.kind == "same" else _LINE_STYLE[side]
    gutter = Text.assemble((f"{line.number:>{digits}}", "dim"), (f" {sign} ", style))
    return _folded(gutter, _ink(line, row, side, paper), room, paper)


def _one_column(diff: Diff, paper: _Paper) -> Iterator[Text]:
    digits = _digits(diff)
    room = max(paper.width - 2 * digits - 4, 10)
    for row in _with_gaps(diff):
        if row is None:
            yield Text(" " * (digits - 1) + ("..." if paper.ascii else "⋮"), style="dim")
            continue
        for line, side in ((row.left, "-"), (row.right, "+")):
            if line is None or (row.kind == "same" and side == "-"):
                continue
            left, right = (f"{it.number if it else '':>{digits}}" for it in (row.left, row.right))
            sign, style = (" ", "") if row.kind == "same" else (side, _LINE_STYLE[side])
            if row.kind == "changed":  # each of its two lines belongs to one program only
                left, right = (left, " " * digits) if side == "-" else (" " * digits, right)
            gutter = Text.assemble((f"{left} {right}", "dim"), (f" {sign} ", style))
            yield from _folded(gutter, _ink(line, row, side, paper), room, paper)


def _with_gaps(diff: Diff) -> Iterator[Row | None]:
    """The rows, and None where rows between two of them are left out."""
    last: dict[str, int] = {}
    for row in diff.rows:
        numbers = {side: line.number for side, line in (("L", row.left), ("R", row.right)) if line}
        if any(number > last.get(side, number) + 1 for side, number in numbers.items()):
            yield None
        last |= numbers
        yield row


def _ink(line: Line, row: Row, side: str, paper: _Paper) -> Text:
    """The text of a line, its changed words styled; a line without a partner is styled whole."""
    if row.kind in ("removed", "added"):
        return Text(_spelled(line.text, paper), style=_LINE_STYLE[side])
    text = Text()
    at = 0
    for start, end in line.marks:
        text.append(_spelled(line.text[at:start], paper))
        text.append(_spelled(line.text[start:end], paper), style=_WORD_STYLE[side])
        at = end
    return text.append(_spelled(line.text[at:], paper))


def _folded(gutter: Text, ink: Text, room: int, paper: _Paper) -> list[Text]:
    """Cut `ink` into lines of `room` columns behind the gutter, with carets below where they are wanted."""
    blank = " " * gutter.cell_len
    lines: list[Text] = []
    for piece in ink.divide(_cuts(ink.plain, room)):
        lines.append(Text.assemble(Text(blank) if lines else gutter, piece))
        if paper.carets and piece.spans:
            lines.append(Text(blank + _carets(piece)))
    return lines


def _carets(piece: Text) -> str:
    marked = [any(span.start <= at < span.end for span in piece.spans) for at in range(len(piece))]
    return "".join(
        ("^" if mark else " ") * get_character_cell_size(character)
        for character, mark in zip(piece.plain, marked, strict=True)
    ).rstrip()


def _cuts(text: str, room: int) -> list[int]:
    """Where to cut a text so that no piece is wider than `room` columns; wide characters take two.

    Cuts fall where code may be read in two, if that leaves at least half of the room filled.
    """
    cuts: list[int] = []
    begin = used = 0
    for at, character in enumerate(text):
        size = get_character_cell_size(character)
        if used + size > room and used:
            between = next((cut for cut in range(at, begin, -1) if text[cut - 1] in _BREAKS), begin)
            begin = between if cell_len(text[begin:between]) * 2 >= room else at
            cuts.append(begin)
            used = cell_len(text[begin:at])
        used += size
    return cuts


def _digits(diff: Diff) -> int:
    last = max((line.number for line in (*diff.left, *diff.right)), default=1)
    return max(len(str(last)), 2)


def _spelled(text: str, paper: _Paper) -> str:
    """The text in characters that the terminal has; others as Python would escape them."""
    return text.encode("ascii", "backslashreplace").decode("ascii") if paper.ascii else text
