"""Lessons copied into a clone of the test's own, where they can be broken."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from looplift.build import Problem, build_lesson, check_lesson
from looplift.lesson import Lesson, find_lesson, shelf

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Clone:
    """A clone with some of the lessons in it; everything that looks for lessons finds these."""

    folder: Path

    def lesson(self, word: str = "01") -> Lesson:
        """Read afresh."""
        return find_lesson(word)

    @property
    def source(self) -> Path:
        return self.folder / "solutions" / "01_first_loop" / "exercise.py"

    @property
    def answers(self) -> Path:
        return self.folder / "tests" / "answers" / "01_first_loop"

    def problems(self) -> list[Problem]:
        """Of lesson 01 as it lies there now, without running any training."""
        return check_lesson(self.lesson())

    def change(self, path: Path, old: str, new: str) -> None:
        """Replace a text in a file."""
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def rebuild(self, old: str, new: str) -> None:
        """Replace a text in the source of lesson 01 and build its notebook again."""
        self.change(self.source, old, new)
        self.lesson().exercise.write_text(build_lesson(self.lesson()), encoding="utf-8")

    def alter_notebook(self, alter: Callable[[list[dict[str, Any]]], None]) -> None:
        notebook = json.loads(self.lesson().exercise.read_text(encoding="utf-8"))
        alter(notebook["cells"])
        self.lesson().exercise.write_text(json.dumps(notebook), encoding="utf-8")


def clone_of(
    names: Iterable[str], folder: Path, monkeypatch: pytest.MonkeyPatch, answers: Callable[[str], bool]
) -> Clone:
    """Copy lessons, and those of their answers whose file name pleases, to `folder`, and let it be the clone."""
    for name in names:
        for part in (f"lessons/{name}", f"solutions/{name}", f"tests/answers/{name}"):
            shutil.copytree(
                ROOT / part,
                folder / part,
                ignore=lambda place, files: [
                    file
                    for file in files
                    if file == "__pycache__" or ("answers" in place and not answers(file))
                ],
            )
        graded = folder / "tests" / "graded" / f"test_{name}.py"
        graded.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / "graded" / graded.name, graded)
    (folder / "data").symlink_to(ROOT / "data")
    monkeypatch.setattr(shelf, "_CLONE", folder)
    return Clone(folder)


def said(problems: Iterable[Problem]) -> list[str]:
    """Each problem as what (where)."""
    return [f"{problem.what} ({problem.where})" for problem in problems]
