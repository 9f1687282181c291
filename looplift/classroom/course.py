"""A course: an ordinary nbgrader course directory, with a small folder of ours in it."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from looplift.classroom.configuration import CONFIGURATION
from looplift.classroom.source import source_notebook
from looplift.lesson import Lesson, LessonError, find_lesson

CONFIG = "nbgrader_config.py"
NOTEBOOK = "exercise"  # the one notebook of each assignment, without `.ipynb`


class CourseError(Exception):
    """A course cannot be made, opened or used; the text says why and what to do, in a sentence."""


class GradebookError(CourseError):
    """The gradebook cannot be read or written: another program holds it, or it is not one."""


@dataclass(frozen=True)
class Course:
    """A course directory. added: the lessons that `make_course` has just put into it."""

    folder: Path
    added: tuple[str, ...] = ()

    @property
    def own(self) -> Path:
        """The folder of ours: the secret, the verdicts, the lock."""
        return self.folder / ".looplift"

    @property
    def secret_file(self) -> Path:
        return self.own / "secret"

    @property
    def verdicts(self) -> Path:
        return self.own / "verdicts"

    @property
    def lock(self) -> Path:
        return self.own / "lock"

    @property
    def secret(self) -> str:
        """What hidden runs take seeds and sizes from; drawn once, readable only by the course's owner."""
        if not self.secret_file.is_file():
            _draw_secret(self)
        return self.secret_file.read_text(encoding="ascii").strip()

    def source(self, assignment: str, notebook: str = NOTEBOOK) -> Path:
        """The instructor's version of an assignment's notebook."""
        return self.folder / "source" / assignment / f"{notebook}.ipynb"

    def lesson(self, assignment: str, notebook: str = NOTEBOOK) -> Lesson | None:
        """The lesson that an assignment hands out, or None when the assignment is the instructor's own.

        The source notebook says which; so a renamed copy of a lesson is still graded as that lesson.
        """
        try:
            about = json.loads(self.source(assignment, notebook).read_text(encoding="utf-8"))["metadata"]
            return find_lesson(str(about["looplift"]["lesson"]))
        except (OSError, ValueError, KeyError, TypeError, LessonError):
            pass
        try:
            return find_lesson(assignment) if notebook == NOTEBOOK else None
        except LessonError:
            return None

    def grade_ids(self, assignment: str) -> tuple[str, ...]:
        """The nbgrader ids of the source notebook, in their order; empty when it is not there."""
        return tuple(it for it, _ in _cells(self.source(assignment)) if it)

    def story(self, assignment: str) -> frozenset[str]:
        """The texts of the source notebook that stand in no graded or locked cell."""
        return frozenset(source for it, source in _cells(self.source(assignment)) if not it)


def make_course(folder: Path, lessons: Sequence[Lesson]) -> Course:
    """Make a course, or add the lessons that an existing one lacks; what is there already stays as it is.

    Raises CourseError when the folder holds something else.
    """
    course = Course(folder.resolve())
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file; give a new or an empty folder for the course.")
    if folder.is_dir() and any(folder.iterdir()) and not course.own.is_dir():
        kind = "an nbgrader course of another kind" if (folder / CONFIG).exists() else "not a course"
        raise CourseError(
            f"{folder} is not empty and is {kind}; give a new or an empty folder, nothing was changed."
        )
    course.own.mkdir(parents=True, exist_ok=True)
    course.own.chmod(0o700)
    course.verdicts.mkdir(exist_ok=True)
    if not course.secret_file.is_file():
        _draw_secret(course)
    _write_new(course.folder / CONFIG, CONFIGURATION.replace("COURSE_ID", _course_id(course.folder)))
    added = []
    for lesson in lessons:
        if not course.source(lesson.name).exists():
            _write_new(course.source(lesson.name), source_notebook(lesson))
            added.append(lesson.name)
    return Course(course.folder, tuple(added))


def open_course(folder: Path) -> Course:
    """The course in a folder. Raises CourseError when there is none."""
    course = Course(folder.resolve())
    if not course.own.is_dir() or not (course.folder / CONFIG).is_file():
        raise CourseError(f"{folder} is not a looplift course: make one with `looplift course {folder}`.")
    course.verdicts.mkdir(exist_ok=True)
    return course


def _course_id(folder: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", folder.name).strip("-") or "course"


def _draw_secret(course: Course) -> None:
    try:
        handle = os.open(course.secret_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")


def _write_new(path: Path, text: str) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _cells(path: Path) -> list[tuple[str, str]]:
    """(nbgrader id or "", source) for each cell of a notebook of the course's own."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [
            (cell["metadata"].get("nbgrader", {}).get("grade_id", ""), "".join(cell["source"]))
            for cell in cells
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []
