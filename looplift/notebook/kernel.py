"""What the running notebook knows: its cells, their compile names, the lesson they belong to."""

from __future__ import annotations

import builtins
from typing import Any

from looplift.lesson import Lesson, LessonError, lessons
from looplift.submission import Cell, Submission, without_magics
from looplift.submission.notebook import GIVEN, grade_id, source_of

FILE = "this notebook"


def shell() -> Any | None:
    """The IPython shell that runs this code, or None outside a notebook."""
    getter = getattr(builtins, "get_ipython", None)
    if getter is None:
        import sys

        ipython = sys.modules.get("IPython")
        getter = getattr(ipython, "get_ipython", None)
    return getter() if getter else None


def history(ip: Any) -> list[str]:
    """Source of every cell that was run, by execution count; entry 0 is empty."""
    return [str(it) for it in ip.history_manager.input_hist_raw]


def _names(ip: Any, sources: list[str]) -> dict[int, str]:
    """Compile name of each cell that was run, by execution count."""
    by_name = getattr(ip.compile, "_filename_map", None)
    if by_name is not None:
        return {number: name for name, number in by_name.items()}
    return {number: ip.compile.get_code_name(it, it, number) for number, it in enumerate(sources)}


def find_lesson_of(ip: Any) -> Lesson:
    """The lesson whose given plain loop was run in this notebook.

    Raises LessonError when none was: the notebook has to be run from the top.
    """
    sources = {it.strip() for it in history(ip)}
    for lesson in lessons():
        if lesson.cell_source("plain").strip() in sources:
            return lesson
    raise LessonError(
        "check belongs to an exercise notebook: run its cells from the top, then this one again."
    )


def submission_of(ip: Any, lesson: Lesson) -> Submission:
    """The cells that were run, the newest of each, without graded cells and the lesson's own story."""
    sources = history(ip)
    names = _names(ip, sources)
    own = [it for it in lesson.notebook["cells"] if it["cell_type"] == "code"]
    given = {source_of(it).strip() for it in own if grade_id(it) in GIVEN}
    story = {source_of(it).strip() for it in own if grade_id(it) != "answer"} - given
    cells: dict[str, Cell] = {}
    for number, source in enumerate(sources):
        name = names.get(number)
        if name is None or source.strip() in story or not source.strip():
            continue
        role = "given" if source.strip() in given else "own"
        cells.pop(name, None)
        cells[name] = Cell(without_magics(source)[0], name, role, number)
    return Submission(FILE, tuple(cells.values()))


def changed_since(ip: Any, count: int) -> bool:
    """True when a cell other than a `check(...)` was run after execution number `count`."""
    return any(it.strip() and not it.strip().startswith("check(") for it in history(ip)[count + 1 :])
