"""The diff as an HTML table: one row for each pair of lines, readable without colours and without eyes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from looplift.diff.code import Piece, coloured, line_html
from looplift.diff.diff import Diff
from looplift.diff.margin import margin_cells
from looplift.diff.notes import Note
from looplift.diff.pairing import Line, Row

# kind of row, side -> the sign that is seen, the words that a screen reader says before the line
_SIGNS = {
    ("changed", "left"): ("~", "changed from: "),
    ("changed", "right"): ("~", "changed to: "),
    ("removed", "left"): ("-", "removed: "),
    ("added", "right"): ("+", "added: "),
}
_LETTER = {"left": "L", "right": "R"}
# In one column a changed line is shown as - and +: then the sign for it is not explained either.
_LEGEND = '<span class="paired">~\u00a0changed, </span>'
_LEGEND += "-\u00a0removed, +\u00a0added; changed words are underlined."
_HANG = 4  # columns that the rest of a line too long for its cell stands further in than its beginning


def line_id(side: str, number: int) -> str:
    """The id of a line in a page: L12 on the left, R12 on the right."""
    return f"{_LETTER[side]}{number}"


def table_html(diff: Diff, linked: bool, notes: Sequence[Note] = ()) -> str:
    """The table, for an element of class `looplift-diff`.

    linked: give each line an id and a link to itself. Ids belong to a whole page, so a fragment that
    may stand twice in one page goes without. Roles are written out because browsers drop those of a
    table that CSS displays as a grid.
    notes: sentences for a fifth column, the margin.
    """
    left = coloured([line.text for line in diff.left])
    right = coloured([line.text for line in diff.right])
    names = "".join(
        f'<th role="columnheader" scope="col" class="number {side}"><span class="unseen">line of '
        f'{escape(name)}</span></th><th role="columnheader" scope="col" class="{side}">{escape(name)}</th>'
        for side, name in (("left", diff.left_name), ("right", diff.right_name))
    )
    margin = margin_cells(diff, notes) if notes else {}
    rows = "\n".join(_row(row, left, right, linked, margin.get(at, "")) for at, row in enumerate(diff.rows))
    if notes:
        names += '<th role="columnheader" scope="col" class="margin">why</th>'
    wide = '<col class="margin">' if notes else ""
    return (
        '<table class="looplift-code" role="table">\n'
        f"<caption>{_caption(diff)}</caption>\n"
        '<colgroup><col class="number"><col><col class="number"><col>'
        f"{wide}</colgroup>\n"
        f'<thead role="rowgroup"><tr role="row">{names}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>'
    )


def _caption(diff: Diff) -> str:
    title = f"<strong>{escape(diff.title)}</strong>: " if diff.title else ""
    return f"{title}{escape(diff.summary)}. {_LEGEND}"


def _row(
    row: Row, left: Sequence[list[Piece]], right: Sequence[list[Piece]], linked: bool, margin: str
) -> str:
    cells = _cells(row, row.left, "left", left, linked) + _cells(row, row.right, "right", right, linked)
    return f'<tr role="row" class="{row.kind}">{cells}{margin}</tr>'


def _cells(row: Row, line: Line | None, side: str, pieces: Sequence[list[Piece]], linked: bool) -> str:
    """Two cells: the line's number, the line."""
    if line is None:
        return (
            f'<td role="cell" class="number nothing {side}"></td><td role="cell" class="nothing {side}"></td>'
        )
    name = line_id(side, line.number)
    number = f'<a href="#{name}">{line.number}</a>' if linked else str(line.number)
    where = f' id="{name}"' if linked else ""
    sign, said = _SIGNS.get((row.kind, side), ("", ""))
    tint = "" if row.kind == "same" else (" gone" if side == "left" else " come")
    before = (
        f'<span class="sign" aria-hidden="true">{sign}</span><span class="unseen">{said}</span>'
        if sign
        else ""
    )
    hang = len(line.text) - len(line.text.lstrip()) + _HANG
    code = f"<code>{line_html(pieces[line.number - 1], line.marks)}</code>"
    return (
        f'<td role="cell" class="number {side}"{where}>{number}</td>'
        f'<td role="cell" class="{side}{tint}">{before}<pre style="--hang: {hang}">{code}</pre></td>'
    )
