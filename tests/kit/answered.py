"""Exercise notebooks with an answer typed into them, as a student hands them in."""

from __future__ import annotations

import copy
import fcntl
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from looplift.lesson import Lesson, solutions_folder


def solution(lesson: Lesson) -> str:
    """The model solution: the answer cell of the exercise's source."""
    text = (solutions_folder() / lesson.name / "exercise.py").read_text(encoding="utf-8")
    cell = text[text.index('"grade_id": "answer"') :].split("\n", 1)[1]
    cell = cell.split("\n# %%", 1)[0]
    return re.sub(r"\n\s*### (BEGIN|END) SOLUTION", "", cell)


def answered(lesson: Lesson, answer: str) -> dict[str, Any]:
    """The lesson's notebook with `answer` in its answer cell."""
    notebook = copy.deepcopy(lesson.notebook)
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "answer":
            cell["source"] = answer
            return notebook
    raise AssertionError("no answer cell")


def write_answered(lesson: Lesson, answer: str, path: Path) -> Path:
    path.write_text(json.dumps(answered(lesson, answer)), encoding="utf-8")
    return path


def executed(notebook: dict[str, Any], folder: Path) -> Any:
    """Run a notebook from top to bottom in a real kernel; errors stay in its outputs."""
    node = nbformat.reads(json.dumps(notebook), as_version=4)
    client = NotebookClient(
        node, timeout=300, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": folder}}
    )
    with the_port():
        client.execute()
    return node


@contextmanager
def the_port() -> Iterator[None]:
    """Notebooks launch on port 29500: one at a time, also when tests run side by side."""
    with open(Path(tempfile.gettempdir()) / "looplift-tests-port-29500.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
