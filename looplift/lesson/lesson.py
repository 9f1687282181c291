"""One lesson: its folder, its exercise notebook and what the notebook says of itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any


class LessonError(Exception):
    """A lesson is missing or its files cannot be read; the text says which and what to do."""


@dataclass(frozen=True)
class Lesson:
    """A lesson as students get it.

    name: folder name, such as `01_first_loop`. folder: where it lies. graded: its graded tests.
    """

    name: str
    folder: Path
    graded: Path

    @property
    def number(self) -> str:
        return self.name.split("_", 1)[0]

    @property
    def slug(self) -> str:
        return self.name.split("_", 1)[1]

    @property
    def before(self) -> Path:
        return self.folder / "before.py"

    @property
    def after(self) -> Path:
        return self.folder / "after.py"

    @property
    def task(self) -> Path:
        return self.folder / "task.py"

    @property
    def exercise(self) -> Path:
        return self.folder / "exercise.ipynb"

    @cached_property
    def notebook(self) -> dict[str, Any]:
        """The student's version of the exercise, as nbformat 4 JSON."""
        try:
            return json.loads(self.exercise.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise LessonError(
                f"{self.name} has no exercise.ipynb in {self.folder}: run `looplift build` in a clone."
            ) from None
        except json.JSONDecodeError as error:
            raise LessonError(f"{self.exercise} is not a notebook ({error}): run `looplift build`.") from None

    @property
    def about(self) -> dict[str, Any]:
        """What the notebook says of itself: title, minutes, difficulty, teaches."""
        return dict(self.notebook.get("metadata", {}).get("looplift", {}))

    @property
    def title(self) -> str:
        return str(self.about.get("title", self.slug.replace("_", " ")))

    def cell_source(self, grade_id: str) -> str:
        """Source of the cell with this nbgrader id in the lesson's own notebook."""
        for cell in self.notebook["cells"]:
            if cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") == grade_id:
                return "".join(cell["source"])
        raise LessonError(f"{self.exercise} has no cell {grade_id!r}.")
