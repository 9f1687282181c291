"""Read an `.ipynb` submission beside the lesson it answers."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from looplift.lesson import Lesson
from looplift.submission.cell import Cell, Submission, SubmissionError
from looplift.submission.magics import without_magics
from looplift.verdict import Place, Remark

GIVEN = ("setup", "given", "plain")  # cells of the lesson that a loop needs
ANSWER = "answer"
LARGEST = 20_000_000  # bytes; outputs count, a notebook that printed more than this is no submission
MOST_CELLS = 2_000
MOST_TEXT = 2_000_000  # characters of code


def grade_id(cell: dict[str, Any]) -> str:
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return str(marks.get("grade_id", "")) if isinstance(marks, dict) else ""


def is_to_be_written(lesson: Lesson, name: str) -> bool:
    """Whether a cell of the lesson is one that students fill in, by its nbgrader id."""
    found: dict[str, Any] = next((it for it in lesson.notebook["cells"] if grade_id(it) == name), {})
    return bool(found.get("metadata", {}).get("nbgrader", {}).get("solution"))


def source_of(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return "".join(str(it) for it in source) if isinstance(source, list) else str(source)


def read_file(path: Path) -> bytes:
    """A submitted file's bytes. Raises SubmissionError when it is no ordinary file, or larger than one can be."""
    kind = path.stat()
    if not stat.S_ISREG(kind.st_mode):
        raise SubmissionError("unknown-kind", f"{path.name} is not a file.")
    if kind.st_size > LARGEST:
        raise _too_large(path.name, kind.st_size)
    return path.read_bytes()


def _too_large(file: str, size: int) -> SubmissionError:
    why = (
        f"{file} is {size // 1_000_000} MB: clear the outputs (Edit, Clear All Outputs) and hand it in again."
    )
    return SubmissionError("too-large", why)


def _unusual(file: str) -> SubmissionError:
    return SubmissionError(
        "too-large", f"{file} holds more cells or more code than anybody writes: it was not read."
    )


def load_notebook(data: bytes, file: str) -> list[dict[str, Any]]:
    """The cells of a notebook's bytes. Raises SubmissionError with the reason when it is not one."""
    if len(data) > LARGEST:
        raise _too_large(file, len(data))
    if data.count(b"cell_type") > MOST_CELLS:  # before they take a gigabyte as Python objects
        raise _unusual(file)
    if not data.strip():
        raise SubmissionError("empty-file", f"{file} is empty: save the notebook again and hand that in.")
    try:
        raw = json.loads(data.decode("utf-8"))
    except (
        ValueError,
        RecursionError,
    ) as error:  # not text, not JSON, brackets without end, a number of 5000 digits
        raise SubmissionError(
            "not-a-notebook",
            f"{file} is not a notebook (not JSON: {error}): save it in Jupyter and hand that in.",
        ) from None
    if isinstance(raw, dict) and isinstance(raw.get("worksheets"), list):  # nbformat 3
        sheets = [
            it for it in raw["worksheets"] if isinstance(it, dict) and isinstance(it.get("cells"), list)
        ]
        raw = {"cells": [cell for sheet in sheets for cell in sheet["cells"] if isinstance(cell, dict)]}
        for cell in raw["cells"]:
            cell.setdefault("source", cell.get("input", ""))
    cells = raw.get("cells") if isinstance(raw, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise SubmissionError(
            "not-a-notebook", f"{file} is JSON but has no list of cells: it is not a notebook."
        )
    if len(cells) > MOST_CELLS or sum(len(source_of(it)) for it in cells) > MOST_TEXT:
        raise _unusual(file)
    return cells


def read_notebook(path: Path, lesson: Lesson) -> Submission:
    """A notebook as it will be run: given cells from the lesson, the rest from the student.

    Graded cells and unchanged cells of the lesson's story are left out, as they only show things.
    Raises SubmissionError when there is no notebook or no answer in it.
    """
    file = path.name
    cells = load_notebook(read_file(path), file)
    own = lesson.notebook["cells"]
    story = {
        source_of(cell).strip() for cell in own if cell["cell_type"] == "code" and grade_id(cell) != ANSWER
    }
    kept: list[Cell] = []
    remarks: list[Remark] = []
    seen: dict[str, int] = {}
    number = 0
    for raw in cells:
        if raw.get("cell_type") != "code":
            continue
        number += 1
        name = grade_id(raw)
        seen[name] = seen.get(name, 0) + 1
        if name in GIVEN and seen[name] == 1:
            source = lesson.cell_source(name)
            if source_of(raw).strip() != source.strip():
                remarks.append(
                    Remark("given-changed", f"The given cell {number} was changed; the lesson's own is used.")
                )
            kept.append(Cell(source, f"{file}#{number}", "given", number))
            continue
        if name.startswith("check-") or source_of(raw).strip() in story:
            continue
        source, taken = without_magics(source_of(raw))
        for line, text in taken:
            where = Place(file, line, number, text)
            remarks.append(Remark("magic-skipped", f"`{text}` is not Python and was skipped.", where))
        kept.append(Cell(source, f"{file}#{number}", "answer" if name == ANSWER else "own", number))
    flag = "; ".join(broken_cells(cells, lesson))
    missing = [it for it in GIVEN if it not in seen]
    given = [Cell(lesson.cell_source(it), f"{file}#{it}", "given") for it in missing]
    if not any(cell.source.strip() for cell in kept if cell.role != "given"):
        raise SubmissionError("no-code", f"{file} has no code in it: write training_loop in the answer cell.")
    return Submission(file, tuple(given + kept), tuple(remarks), flag)


def broken_cells(cells: list[dict[str, Any]], lesson: Lesson) -> list[str]:
    """What is wrong with the cells that nbgrader goes by: missing or doubled ones, each in a few words."""
    wanted = [grade_id(cell) for cell in lesson.notebook["cells"] if grade_id(cell)]
    there = [grade_id(cell) for cell in cells if grade_id(cell)]
    faults = [f"cell {name} is missing" for name in wanted if name not in there]
    faults += [f"cell {name} is there {there.count(name)} times" for name in wanted if there.count(name) > 1]
    return faults
