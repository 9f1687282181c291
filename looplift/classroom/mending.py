"""Mending: a submitted notebook as nbgrader needs it, each master cell there once, with its own marks.

Nothing of the student's own code is changed or moved. Locked cells get their master's text, as nbgrader does;
cells that are missing are put back where they stood.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from looplift.classroom.handout import as_handed_out
from looplift.classroom.master import Master, MasterCell
from looplift.classroom.opened import Opened, OpenedCell, shown

MISSING_ANSWER = "# This cell was missing from the submission."


@dataclass(frozen=True)
class Mended:
    """notebook: clean, without outputs. reasons: why a person should look. notes: mended without harm."""

    notebook: NotebookNode
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class _Slot:
    """A cell of the notebook to be: what the student has there, and the master cell that it stands for."""

    cell: OpenedCell
    master: MasterCell | None = None


def mend(opened: Opened, master: Master, story: frozenset[str] = frozenset()) -> Mended:
    """Make a submission fit its master. story: the lesson's own texts, whose HTML is trusted on pages."""
    reasons = list(opened.reasons)
    slots = [_Slot(cell) for cell in opened.cells]
    reasons += _claim(slots, master)
    reasons += _adopt(slots, master)
    reasons += _compare(slots)
    missing = _restore(slots, master)
    if missing:
        reasons.append(f"{_cells(missing)} missing and put back")
    if not any(_is_students_code(slot) for slot in slots):
        reasons.append("there is no code of the student's in it")
    notes = [
        f"the locked cell {slot.master.grade_id} was changed; it was graded as it was handed out"
        for slot in slots
        if slot.master and slot.master.locked and _differs(slot) and not as_handed_out(slot.cell)
    ]
    return Mended(_notebook(slots, master, story), tuple(reasons), tuple(notes))


def _cells(names: list[str]) -> str:
    return f"the cell {names[0]} was" if len(names) == 1 else f"the cells {', '.join(names)} were"


def _claim(slots: list[_Slot], master: Master) -> list[str]:
    """Give each master cell the last cell that claims to be it: the last definition holds, too."""
    reasons = []
    for cell in master.cells:
        claims = [slot for slot in slots if slot.cell.grade_id == cell.grade_id]
        if claims:
            claims[-1].master = cell
        if len(claims) > 1:
            reasons.append(f"the cell {cell.grade_id} was there {len(claims)} times; the last one counts")
    return reasons


def _adopt(slots: list[_Slot], master: Master) -> list[str]:
    """Find cells that lost their id: locked ones by their text, answers by what they define."""
    there = {slot.master.grade_id for slot in slots if slot.master}
    known = {cell.grade_id for cell in master.cells}
    renamed, bare = [], []
    for cell in master.cells:
        if cell.grade_id in there:
            continue
        free = [slot for slot in slots if slot.master is None]
        found = [slot for slot in free if _could_be(slot.cell, cell, known)]
        if not found:
            continue
        found[-1].master = cell
        claimed = shown(found[-1].cell.grade_id, 30)
        if claimed and claimed != cell.grade_id:
            renamed.append(f"the cell {cell.grade_id} was called {claimed!r}")
        else:
            bare.append(cell.grade_id)
    if bare:
        renamed.append(f"{_cells(bare)} without nbgrader marks")
    strange = [
        shown(slot.cell.grade_id, 30)
        for slot in slots
        if slot.master is None and slot.cell.grade_id and slot.cell.grade_id not in known
    ]
    if strange:
        renamed.append(f"unknown nbgrader cells were ignored: {', '.join(strange[:5])}")
    return renamed


def _could_be(cell: OpenedCell, master: MasterCell, known: set[str]) -> bool:
    if master.solution and cell.grade_id not in known | {""} and cell.marks.get("solution") is True:
        return True
    if master.locked:
        return bool(master.source.strip()) and cell.source.strip() == master.source.strip()
    return cell.kind == "code" and any(
        re.search(rf"^(async )?(def|class) {name}\b|^{name}\s*=", cell.source, re.MULTILINE)
        for name in _defined(master.source)
    )


def _defined(source: str) -> list[str]:
    """Names of the functions and classes that a piece of code defines at its top level."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return []
    return [it.name for it in body if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]


def _compare(slots: list[_Slot]) -> list[str]:
    """What the marks of claimed cells say that the master's do not: kind, flags, points."""
    reasons = []
    for slot in slots:
        if slot.master is None or not slot.cell.marks:
            continue
        changed = [name for name, ours, theirs in _marks(slot.cell, slot.master) if ours != theirs]
        if as_handed_out(slot.cell):  # its checksum vouches for all of them but the format
            changed = [name for name in changed if name == "format"]
        if changed:
            reasons.append(f"the cell {slot.master.grade_id} came with changed {' and '.join(changed)}")
    return reasons


def _marks(cell: OpenedCell, master: MasterCell) -> list[tuple[str, object, object]]:
    marks: dict[str, Any] = cell.marks
    grade, solution = marks.get("grade", False), marks.get("solution", False)
    # as nbgrader.utils.is_locked: solutions never are, graded cells always are
    locked = False if solution else (True if grade else marks.get("locked", False))
    flags = (master.grade, master.solution, master.locked, master.task)
    return [
        ("kind", master.cell_type, cell.kind),
        ("flags", flags, (grade, solution, locked, marks.get("task", False))),
        ("points", *_both_points(marks, master)),
        ("format", 3, marks.get("schema_version")),
    ]


def _both_points(marks: dict[str, Any], master: MasterCell) -> tuple[object, object]:
    """Those of a question that a person grades say nothing: its text is the student's, so its checksum is not ours."""
    if master.grade and master.solution:
        return None, None
    return master.points if master.grade or master.task else None, _points(marks)


def _points(marks: dict[str, Any]) -> object:
    if not (marks.get("grade") or marks.get("task")):
        return None
    points = marks.get("points")
    return float(points) if isinstance(points, (int, float)) and not isinstance(points, bool) else points


def _restore(slots: list[_Slot], master: Master) -> list[str]:
    """Put missing cells back: after the master cell before them, the first ones at the top."""
    missing = []
    after = 0
    for cell in master.cells:
        at = next((i for i, slot in enumerate(slots) if slot.master is cell), None)
        if at is None:
            missing.append(cell.grade_id)
            source = MISSING_ANSWER if cell.solution and not cell.grade else cell.source
            slots.insert(after, _Slot(OpenedCell(cell.cell_type, source), cell))
            at = after
        after = at + 1
    return missing


def _is_students_code(slot: _Slot) -> bool:
    given = slot.master is not None and slot.master.locked
    source = slot.cell.source.strip()
    return slot.cell.kind == "code" and not given and bool(source) and source != MISSING_ANSWER


def _differs(slot: _Slot) -> bool:
    return slot.master is not None and slot.cell.source.strip() != slot.master.source.strip()


def _notebook(slots: list[_Slot], master: Master, story: frozenset[str]) -> NotebookNode:
    notebook = new_notebook()
    used: set[str] = set()
    for number, slot in enumerate(slots, 1):
        wanted = slot.cell.id
        name = wanted if wanted and wanted not in used else _new_id(number, used)
        used.add(name)
        notebook.cells.append(_new_cell(slot, name, story))
    notebook.metadata.kernelspec = NotebookNode(dict(master.kernel))
    notebook.metadata.language_info = NotebookNode(name="python", pygments_lexer="ipython3")
    nbformat.validate(notebook)
    return notebook


def _new_id(number: int, used: set[str]) -> str:
    name = f"cell-{number}"
    while name in used:
        name += "-x"
    return name


def _new_cell(slot: _Slot, name: str, story: frozenset[str]) -> NotebookNode:
    source = slot.cell.source
    kind = slot.master.cell_type if slot.master is not None else slot.cell.kind
    if slot.master is not None and slot.master.locked:
        source = slot.master.source
    elif kind != "code" and source not in story and (slot.master is None or source != slot.master.source):
        source = _plain(source)
    make = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}[kind]
    cell = make(source, id=name)
    if slot.master is not None:
        cell.metadata.nbgrader = NotebookNode(slot.master.marks)
        cell.metadata.deletable = False
    return cell


_TARGET = r"\s*<?(?:https?://|mailto:|attachment:|#|[\w./-]+[)\s>])"  # of a link that a page may have
_LINK = re.compile(rf"\]\((?!{_TARGET})", re.IGNORECASE)
_REFERENCE = re.compile(rf"^(?=\s*\[[^\]\n]*\]:(?!{_TARGET}))", re.IGNORECASE | re.MULTILINE)
_COMMAND = re.compile(r"\\(?=(?:href|style|class|cssId|require|unicode|def|newcommand|let)\b)")


def _plain(text: str) -> str:
    """Markdown whose HTML is shown, not run: pages and Formgrader would hand it to the browser as it is.

    Links that could be programs are shown as they were typed. MathJax makes links and styles of formulas: the commands
    for that lose their backslash.
    """
    text = _REFERENCE.sub(r"\\", _LINK.sub(r"]\\(", _COMMAND.sub("", text)))
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text)
