"""nbgrader, used from this process: a course's configuration and directories, the lock on its gradebook."""

from __future__ import annotations

import fcntl
import glob
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_config_path
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config, JSONFileConfigLoader, PyFileConfigLoader

from looplift.classroom.course import CONFIG, Course, CourseError, GradebookError
from looplift.classroom.database import reach, told


class PatientCourseDirectory(CourseDirectory):
    """nbgrader's, but a time stamp that cannot be read is no time stamp: nbgrader would lose the student."""

    def get_existing_timestamp(self, dest_path: str) -> Any:
        """The time a submission was handed in, None when the file is missing or says nothing."""
        try:
            return super().get_existing_timestamp(dest_path)
        except (
            Exception
        ) as error:  # dateutil, the file's encoding, nbgrader's own `self.fail`, which is not there
            self.log.error("The time stamp in %s cannot be read: %s", dest_path, error)
            return None


class Kept(logging.Handler):
    """Keeps what nbgrader logs as an error instead of printing it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    @property
    def cause(self) -> str:
        """The last line of the last traceback, or of the last message."""
        for text in reversed(self.lines):
            if "Traceback (most recent call last)" in text:
                return text.strip().splitlines()[-1]
        return self.lines[-1].strip().splitlines()[-1] if self.lines and self.lines[-1].strip() else ""


@dataclass(frozen=True)
class Session:
    """One use of nbgrader on a course: its configuration, directories, and a log of its own."""

    course: Course
    config: Config
    coursedir: CourseDirectory
    log: logging.Logger
    kept: Kept

    @property
    def db_url(self) -> str:
        return str(self.coursedir.db_url)

    def folder(self, step: str, student: str, assignment: str) -> Path:
        """Where nbgrader keeps one step (`submitted`, `autograded`, ...) of a submission."""
        directory = getattr(self.coursedir, f"{step}_directory")
        return Path(self.coursedir.format_path(directory, student, assignment))


def open_session(course: Course) -> Session:
    """Read a course's configuration as nbgrader's commands would. Raises CourseError when that fails.

    Raises GradebookError when the configuration names a database server that does not answer.
    """
    _find_alembic()
    kept = Kept()
    log = logging.Logger("looplift.classroom")  # not registered, so nothing of it is printed
    log.addHandler(kept)
    config = Config()
    try:
        for place in reversed(jupyter_config_path()):
            _merge(config, place)
        _merge(config, str(course.folder))
        coursedir = PatientCourseDirectory(config=config, root=str(course.folder), log=log)
    except Exception as error:  # an instructor's Python file can raise anything
        raise CourseError(
            f"{course.folder / CONFIG} cannot be used, so mend it first ({type(error).__name__}: {error})."
        ) from None
    session = Session(course, config, coursedir, log, kept)
    reach(session.db_url)
    return session


def _find_alembic() -> None:
    """nbgrader runs `alembic` by name when it makes a gradebook; an environment need not be activated."""
    beside, there = os.path.dirname(sys.executable), os.environ.get("PATH", "")
    if beside not in there.split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join(it for it in (there, beside) if it)


def _merge(config: Config, place: str) -> None:
    for name, loader in ((CONFIG, PyFileConfigLoader), (f"{Path(CONFIG).stem}.json", JSONFileConfigLoader)):
        if os.path.isfile(os.path.join(place, name)):
            config.merge(loader(name, path=place).load_config())


def found_in(session: Session, step: str) -> list[tuple[str, str, Path]]:
    """(student, assignment, folder) for all in one step, as nbgrader's directory structure has it."""
    coursedir = session.coursedir
    directory = getattr(coursedir, f"{step}_directory")
    pattern = coursedir.format_path(directory, "(?P<student>[^/]+)", "(?P<assignment>[^/]+)", escape=True)
    structure = coursedir.directory_structure.format(
        nbgrader_step=glob.escape(directory), student_id="*", assignment_id="*"
    )
    excluded = set(coursedir.student_id_exclude.split(","))
    found = []
    for path in glob.glob(os.path.join(glob.escape(coursedir.root), structure)):
        match = re.fullmatch(pattern, path)
        if match and os.path.isdir(path) and match["student"] not in excluded:
            found.append((match["student"], match["assignment"], Path(path)))
    return sorted(found)


@contextmanager
def opened_gradebook(session: Session) -> Iterator[Gradebook]:
    """The course's gradebook, closed again. Raises GradebookError when the database fails, also in between."""
    try:
        with Gradebook(session.db_url, session.coursedir.course_id) as gradebook:
            yield gradebook
    except SQLAlchemyError as error:
        raise GradebookError(
            f"The gradebook cannot be read ({told(error)}): end whatever else is using it and try again."
        ) from None


@contextmanager
def locked(course: Course) -> Iterator[None]:
    """Hold the course's gradebook: nbgrader loses files of a student whom two processes record at once."""
    with course.lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
