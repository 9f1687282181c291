"""Submissions: notebooks and scripts that students hand in."""

from __future__ import annotations

from pathlib import Path

from looplift.lesson import Lesson
from looplift.submission.cell import Cell, Submission, SubmissionError
from looplift.submission.magics import without_magics
from looplift.submission.notebook import broken_cells, load_notebook, read_notebook
from looplift.submission.script import read_answer, read_script

__all__ = [
    "Cell",
    "Submission",
    "SubmissionError",
    "broken_cells",
    "load_notebook",
    "read_answer",
    "read_notebook",
    "read_submission",
    "without_magics",
]


def read_submission(path: Path, lesson: Lesson) -> Submission:
    """Read a notebook or script. Raises SubmissionError, its reason in one sentence, when that cannot be done."""
    if not path.exists():
        raise SubmissionError("no-file", f"There is no file {path}.")
    if path.suffix == ".ipynb":
        return read_notebook(path, lesson)
    if path.suffix == ".py":
        return read_script(path, lesson)
    raise SubmissionError("unknown-kind", f"{path.name} is neither a notebook (.ipynb) nor a script (.py).")
