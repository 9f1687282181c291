"""The master of an assignment: the cells that nbgrader goes by, as its gradebook knows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from sqlalchemy.exc import SQLAlchemyError

from looplift.classroom.course import NOTEBOOK, CourseError, GradebookError
from looplift.classroom.opened import shown


@dataclass(frozen=True)
class MasterCell:
    """One graded, solution, task or locked cell. points: what it is worth, 0 when it is not graded."""

    grade_id: str
    cell_type: str
    source: str
    grade: bool
    solution: bool
    task: bool
    locked: bool
    points: float
    checksum: str

    @property
    def marks(self) -> dict[str, Any]:
        """The nbgrader metadata of the cell."""
        marks = {
            "grade": self.grade,
            "grade_id": self.grade_id,
            "locked": self.locked,
            "schema_version": 3,
            "solution": self.solution,
            "task": self.task,
            "cell_type": self.cell_type,
        }
        if self.checksum:
            marks["checksum"] = self.checksum
        if self.grade or self.task:
            marks["points"] = self.points
        return marks


@dataclass(frozen=True)
class Master:
    """An assignment's notebook. cells: in the order of the notebook. kernel: its kernelspec."""

    assignment: str
    cells: tuple[MasterCell, ...]
    kernel: tuple[tuple[str, str], ...]

    @property
    def graded(self) -> tuple[MasterCell, ...]:
        return tuple(cell for cell in self.cells if cell.grade)

    @property
    def possible(self) -> float:
        return sum(cell.points for cell in self.cells)

    def cell(self, grade_id: str) -> MasterCell | None:
        return next((cell for cell in self.cells if cell.grade_id == grade_id), None)


def read_master(db_url: str, assignment: str, order: Sequence[str]) -> Master:
    """Read an assignment's master from the gradebook; `order` are the ids as the source notebook has them.

    Raises CourseError when `nbgrader generate_assignment` has not been run for it, GradebookError when the
    gradebook cannot be read.
    """
    try:
        return _read(db_url, assignment, order)
    except SQLAlchemyError as error:
        cause = shown(str(getattr(error, "orig", None) or error), 120)
        raise GradebookError(
            f"The gradebook cannot be read ({cause}): end whatever else is using it and try again."
        ) from None


def _read(db_url: str, assignment: str, order: Sequence[str]) -> Master:
    with Gradebook(db_url) as gradebook:
        try:
            notebook = gradebook.find_notebook(NOTEBOOK, assignment)
        except MissingEntry:
            raise CourseError(
                f"{assignment} is not in the gradebook yet: run `nbgrader generate_assignment {assignment}` "
                "in the course's folder."
            ) from None
        worth = {cell.name: float(cell.max_score) for cell in notebook.grade_cells}
        tasks = {cell.name: float(cell.max_score) for cell in notebook.task_cells}
        solutions = {cell.name for cell in notebook.solution_cells}
        cells = [
            MasterCell(
                grade_id=cell.name,
                cell_type=cell.cell_type,
                source=cell.source or "",
                grade=cell.name in worth,
                solution=cell.name in solutions,
                task=cell.name in tasks,
                locked=bool(cell.locked),
                points=worth.get(cell.name, tasks.get(cell.name, 0.0)),
                checksum=cell.checksum or "",
            )
            for cell in notebook.source_cells
        ]
        kernel = json.loads(notebook.kernelspec) if notebook.kernelspec else {}
    place = {name: index for index, name in enumerate(order)}
    cells.sort(key=lambda cell: place.get(cell.grade_id, len(place)))
    return Master(assignment, tuple(cells), tuple(sorted((str(k), str(v)) for k, v in kernel.items())))
