"""The diff as one HTML page, with the sentence for each change in its margin."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from looplift.diff.diff import Diff
from looplift.diff.document import document
from looplift.diff.notes import Note
from looplift.diff.pairing import Row
from looplift.diff.table import line_id, table_html


def diff_page(diff: Diff, notes: Sequence[Note] = (), home: str = "") -> str:
    """The whole page. Each line can be linked to: #L12 for the left program, #R12 for the right.

    notes: as lesson_notes gives them; each stands in the margin and can be linked to: #note-1.
    home: address of a page to go back to, when there is one.
    """
    title = f"{diff.title}: {diff.left_name} and {diff.right_name}".removeprefix(": ")
    back = f'<p class="back"><a href="{escape(home)}">Back to the lesson</a></p>\n' if home else ""
    return document(
        title,
        header=f"{back}<h1>{escape(title)}</h1>\n{_changes(diff)}",
        main=f'<div class="looplift-diff">\n{table_html(diff, linked=True, notes=notes)}\n</div>',
        footer=f"Link to a line with #L and its number for {escape(diff.left_name)}, #R for "
        f"{escape(diff.right_name)}.",
    )


def write_page(page: str, path: Path) -> None:
    """Write the page. Raises OSError when the file cannot be written."""
    path.write_text(page, encoding="utf-8")


def _changes(diff: Diff) -> str:
    """Links to where each run of changes starts, or nothing when the programs are equal."""
    links: list[str] = []
    inside = False
    for row in diff.rows:
        changed = row.kind != "same"
        if changed and not inside:
            links.append(_link(row, diff))
        inside = changed
    if not links:
        return ""
    return f'<nav aria-label="Changes">Changes:<ul>{"".join(links)}</ul></nav>'


def _link(row: Row, diff: Diff) -> str:
    line, side, name = (
        (row.right, "right", diff.right_name) if row.right else (row.left, "left", diff.left_name)
    )
    if line is None:
        return ""
    return f'<li><a href="#{line_id(side, line.number)}">{escape(name)} line {line.number}</a></li>'
