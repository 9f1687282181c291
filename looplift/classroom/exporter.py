"""How nbgrader reads a submission in a course of ours: mended in memory, under whatever name it came."""

from __future__ import annotations

import glob
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict

from looplift.classroom.course import NOTEBOOK, Course, CourseError, open_course
from looplift.classroom.extras import not_copied
from looplift.classroom.handin import EXERCISE, Handin, read_handin
from looplift.classroom.judge import HANDIN
from looplift.classroom.master import read_master


class MendingExporter(NotebookExporter):
    """nbconvert's notebook exporter, but a submission of ours is read by `read_handin` first.

    nbgrader converts twice: from submitted/ (here the file is mended), then from autograded/ (here what was
    found goes along for `Judge`). Notebooks that are no lesson of ours are left to nbconvert.
    """

    _handin: Handin | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        converter: Any = self.parent
        if hasattr(converter, "init_assignment"):
            converter.init_assignment = _careful(converter, converter.init_assignment)

    def from_filename(self, filename: str, resources: Any = None, **kw: Any) -> tuple[Any, Any]:
        about = (resources or {}).get("nbgrader", {})
        if not getattr(self.parent, "_sanitizing", True):
            if self._handin is not None:
                resources[HANDIN] = self._handin
            return super().from_filename(filename, resources=resources, **kw)
        self._handin = getattr(self.parent, "handin", None) or self._read(Path(filename), about)
        if self._handin is None:
            return super().from_filename(filename, resources=resources, **kw)
        resources["metadata"] = ResourcesDict(name=about["notebook"], path=str(Path(filename).parent))
        return self.from_notebook_node(self._handin.notebook, resources=resources, **kw)

    def _read(self, file: Path, about: dict[str, str]) -> Handin | None:
        course = open_course(Path(cast(Any, self.parent).coursedir.root))
        lesson = course.lesson(about["assignment"], about["notebook"])
        if lesson is None or about["notebook"] != NOTEBOOK:
            return None
        master = read_master(about["db_url"], about["assignment"], course.grade_ids(about["assignment"]))
        return read_handin(course, lesson.name, about["student"], file.parent, master)


def _careful(converter: Any, init_assignment: Callable[[str, str], None]) -> Callable[[str, str], None]:
    """The step in which nbgrader copies what lies beside the notebook, but links and other odd files stay there."""

    def init(assignment: str, student: str) -> None:
        coursedir = converter.coursedir
        ignored = list(coursedir.ignore)
        folder = Path(coursedir.format_path(converter._input_directory, student, assignment))
        coursedir.ignore = ignored + [glob.escape(name) for name in not_copied(folder)]
        try:
            init_assignment(assignment, student)
        finally:
            coursedir.ignore = ignored

    return init


def accept_other_names(assignment: str, student: str, notebooks: list[str]) -> None:
    """nbgrader's pre_convert_hook: have the exercise converted even when no file has its name.

    nbgrader passes the list of the submission's notebooks that it will convert, from the course's folder.
    It would skip those with unknown names and give up when none is left.
    """
    if not notebooks or any(Path(it).name == EXERCISE for it in notebooks):
        return
    folder = Path(notebooks[0]).parent
    if _our_course(Path.cwd(), folder.name):
        notebooks.append(str(folder / EXERCISE))


def _our_course(folder: Path, assignment: str) -> Course | None:
    try:
        course = open_course(folder)
    except CourseError:
        return None
    return course if course.lesson(assignment) else None
