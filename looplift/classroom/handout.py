"""Cells as they were handed out: a submission may come from before its assignment's source was changed."""

from __future__ import annotations

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from looplift.classroom.opened import OpenedCell


def as_handed_out(cell: OpenedCell) -> bool:
    """Whether a cell still is as nbgrader once wrote it: the checksum in it fits its text, kind, flags and points.

    Then what differs from the master was changed by the instructor, not by the student. Whoever makes up a checksum
    gains nothing: text and points are the master's in any case.
    """
    claimed = cell.marks.get("checksum")
    if not isinstance(claimed, str) or not cell.grade_id:
        return False
    try:
        marks = NotebookNode(cell.marks)
        node = NotebookNode(cell_type=cell.kind, source=cell.source, metadata=NotebookNode(nbgrader=marks))
        return bool(compute_checksum(node) == claimed)
    except Exception:  # marks that a student made up: points that are no number, an id that is none
        return False
