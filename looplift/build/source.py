"""The one source of an exercise: a percent script, read as the instructor's notebook."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from looplift.lesson import Lesson, solutions_folder

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


class BuildError(Exception):
    """An exercise cannot be built; the text says which file and what to do."""


def source_path(lesson: Lesson) -> Path:
    """Where the exercise's percent script lies. Raises LessonError outside a clone."""
    return solutions_folder() / lesson.name / "exercise.py"


def instructor_notebook(lesson: Lesson) -> str:
    """The instructor's notebook, solution included, as JSON: what belongs in a course's `source/` folder.

    The same source gives the same bytes, whoever builds it and when.
    Raises BuildError when the source is missing, is not a percent script or holds doubled ids.
    """
    return as_json(read_source(lesson))


def read_source(lesson: Lesson) -> NotebookNode:
    """The percent script as a notebook with stable cell ids and nothing that jupytext adds for itself."""
    try:
        import jupytext  # an author's tool: students who only install looplift do without it
    except ImportError:
        raise BuildError(
            "Building a lesson needs jupytext, which is not installed: pip install 'looplift[author]'."
        ) from None
    path = source_path(lesson)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BuildError(
            f"{lesson.name} has no source: {path} is missing. Write it, or take the lesson away."
        ) from None
    try:
        notebook = jupytext.reads(text, fmt="py:percent")
    except Exception as error:  # whatever its YAML reader raises
        why = " ".join(str(error).split())
        raise BuildError(f"{path} is no percent script, or its header no YAML: {why}. Mend it.") from None
    notebook.metadata = NotebookNode(kernelspec=KERNEL, looplift=notebook.metadata.get("looplift", {}))
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell, cell_id in zip(notebook.cells, cell_ids(lesson, notebook.cells), strict=True):
        cell["id"] = cell_id
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def cell_ids(lesson: Lesson, cells: Iterable[NotebookNode]) -> list[str]:
    """An id for each cell: its nbgrader id, or its kind and position.

    nbformat would draw them at random, and then no two builds were equal.
    Raises BuildError when two cells would have the same.
    """
    ids = [grade_id(cell) or f"{cell.cell_type}-{position:02d}" for position, cell in enumerate(cells, 1)]
    doubled = sorted({it for it in ids if ids.count(it) > 1})
    if doubled:
        raise BuildError(
            f"{source_path(lesson)} has several cells called {', '.join(doubled)}: give each grade_id once."
        )
    return ids


def grade_id(cell: NotebookNode) -> str:
    """The cell's nbgrader id, or "" when it has none."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def as_json(notebook: NotebookNode) -> str:
    """The notebook's JSON as it is committed: keys sorted, a newline at the end."""
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"
