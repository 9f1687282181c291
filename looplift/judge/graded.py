"""The graded tests of a lesson, in the order in which they are told."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from looplift.hidden.task import HiddenTask
from looplift.lesson import Lesson, LessonError


@dataclass(frozen=True)
class GradedTest:
    """One check: its name as `check(...)` is called with, its title and its points."""

    name: str
    title: str
    points: float
    run: Callable[[Any], None]


@dataclass(frozen=True)
class GradedTests:
    """All graded tests of a lesson and the hidden task they are run on."""

    task: HiddenTask
    tests: tuple[GradedTest, ...]

    @property
    def table(self) -> list[tuple[str, str, float]]:
        """(name, title, points) of each test."""
        return [(test.name, test.title, test.points) for test in self.tests]


def load_graded(lesson: Lesson) -> GradedTests:
    """Import a lesson's graded tests. Raises LessonError when the file is missing or holds no test."""
    if not lesson.graded.is_file():
        raise LessonError(f"{lesson.name} has no graded tests: {lesson.graded} is missing.")
    spec = importlib.util.spec_from_file_location(f"looplift_graded_{lesson.name}", lesson.graded)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tests = []
    for name, it in vars(module).items():
        if name.startswith("test_") and callable(it):
            title = (it.__doc__ or name).strip().split("\n")[0].rstrip(".")
            tests.append(GradedTest(name.removeprefix("test_"), title, float(getattr(it, "points", 0)), it))
    task = getattr(module, "TASK", None)
    if not tests or not isinstance(task, HiddenTask):
        raise LessonError(
            f"{lesson.graded} must define TASK, a hidden task, and at least one test_ function."
        )
    return GradedTests(task, tuple(tests))
