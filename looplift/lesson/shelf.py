"""Where lessons, graded tests and data lie: beside the package in a clone, inside it in a wheel."""

from __future__ import annotations

import re
from pathlib import Path

from looplift.lesson.lesson import Lesson, LessonError

_PACKAGE = Path(__file__).resolve().parents[1]
_SHELF = _PACKAGE / "shelf"  # filled by the wheel, see [tool.hatch.build.targets.wheel.force-include]
_CLONE = _PACKAGE.parent
NAME = re.compile(r"^\d\d_[a-z0-9_]+$")  # of a lesson's folder


def installed() -> bool:
    """True when running from a wheel, False in a clone."""
    return _SHELF.is_dir()


def lessons_folder() -> Path:
    return _SHELF / "lessons" if installed() else _CLONE / "lessons"


def graded_folder() -> Path:
    return _SHELF / "graded" if installed() else _CLONE / "tests" / "graded"


def data_folder() -> Path:
    return _SHELF / "data" if installed() else _CLONE / "data"


def solutions_folder() -> Path:
    """Exercise sources, with the solutions in them. Only a clone has them.

    Raises LessonError in an installed wheel.
    """
    if installed():
        raise LessonError("Exercise sources and solutions are only in a clone of looplift, not in the wheel.")
    return _CLONE / "solutions"


def clone_folder() -> Path:
    """The clone itself: README.md, solutions, tests. Raises LessonError in an installed wheel."""
    return solutions_folder().parent


def answers_folder() -> Path:
    """Right and wrong answers, a folder for each lesson. Raises LessonError in an installed wheel."""
    return clone_folder() / "tests" / "answers"


def lessons() -> list[Lesson]:
    """Every lesson, in the order of the course."""
    folder = lessons_folder()
    if not folder.is_dir():
        raise LessonError(f"No lessons in {folder}: the installation is incomplete; install looplift again.")
    names = sorted(path.name for path in folder.iterdir() if path.is_dir() and NAME.match(path.name))
    return [Lesson(name, folder / name, graded_folder() / f"test_{name}.py") for name in names]


def find_lesson(word: str) -> Lesson:
    """The lesson a person means by `01`, `1`, `first_loop` or `01_first_loop`.

    Raises LessonError, naming the lessons there are, when none or several fit.
    """
    wanted = word.strip().strip("/").lower()
    every = lessons()
    number = wanted.zfill(2) if wanted.isdigit() else None
    found = [it for it in every if wanted in (it.name, it.slug) or number == it.number]
    if len(found) == 1:
        return found[0]
    names = ", ".join(it.name for it in every) or "none"
    raise LessonError(f"No lesson is called {word!r}. There are: {names}.")
