"""The margin of the page: beside each change, the sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from looplift.diff.diff import Diff
from looplift.diff.notes import Note


def margin_cells(diff: Diff, notes: Sequence[Note]) -> dict[int, str]:
    """Row number -> a cell that reaches down to the next change, or to the end of the table.

    Changes that touch share a cell, so that short ones side by side do not pull their rows apart.
    Each note can be linked to: #note-1, in the order of the page.
    """
    beside = sorted(
        ((block, note) for note in notes for block in note.blocks), key=lambda pair: pair[0].start
    )
    groups: dict[int, str] = {0: ""}
    start = 0
    for number, (block, note) in enumerate(beside, 1):
        touching = number > 1 and beside[number - 2][0].stop == block.start
        start = start if touching else block.start
        groups[start] = groups.get(start, "") + _note(number, note)
    starts = sorted(groups)
    ends = [*starts[1:], len(diff.rows)]
    return {
        start: _cell(groups[start], end - start)
        for start, end in zip(starts, ends, strict=True)
        if start < end
    }


def _note(number: int, note: Note) -> str:
    name = f"note-{number}"
    link = f'<a href="#{name}">{escape(note.title)}</a>'
    return f'<p id="{name}" class="looplift-note">{link}. {escape(note.sentence)}</p>'


def _cell(inside: str, rows: int) -> str:
    kind = "margin" if inside else "margin nothing"
    return f'<td role="cell" class="{kind}" rowspan="{rows}">{inside}</td>'
