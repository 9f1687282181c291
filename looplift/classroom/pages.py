"""Releasing assignments, feedback pages and exported grades, by nbgrader's own means."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.converters import GenerateAssignment, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from looplift.classroom.course import NOTEBOOK, Course, CourseError
from looplift.classroom.engine import one_engine
from looplift.classroom.event import Event, Progress, Trouble, silent
from looplift.classroom.freshness import Freshness
from looplift.classroom.gradesheet import QuotedCsv
from looplift.classroom.master import read_master
from looplift.classroom.opened import shown
from looplift.classroom.session import Session, found_in, locked, open_session

PAGE = f"{NOTEBOOK}.html"


def release(course: Course, assignments: Iterable[str]) -> list[Path]:
    """What `nbgrader generate_assignment` does for each: its released notebook. Returns their paths.

    An assignment that is released and in the gradebook is left as it is. Raises CourseError when one fails.
    """
    session = open_session(course)
    paths = []
    with locked(course):
        for assignment in assignments:
            path = session.folder("release", ".", assignment) / f"{NOTEBOOK}.ipynb"
            if not (path.is_file() and _in_gradebook(session, assignment)):
                _generate(session, assignment)
            paths.append(path)
    return paths


def _in_gradebook(session: Session, assignment: str) -> bool:
    try:
        read_master(session.db_url, assignment, ())
    except CourseError:
        return False
    return True


def _generate(session: Session, assignment: str) -> None:
    session.coursedir.assignment_id = assignment
    try:
        converter = GenerateAssignment(coursedir=session.coursedir, config=session.config, log=session.log)
        converter.force = True
        converter.start()
    except (Exception, SystemExit) as error:
        cause = shown(session.kept.cause or str(error), 200)
        raise CourseError(f"{assignment} could not be released: {cause}") from None


class FeedbackPages(GenerateFeedback):
    """nbgrader's GenerateFeedback on chosen submissions, telling which one it is at."""

    def __init__(
        self,
        coursedir: CourseDirectory,
        chosen: Sequence[tuple[str, str]],
        tell: Callable[[str, str], None],
        config: Config,
        log: object,
    ) -> None:
        super().__init__(coursedir=coursedir, config=config, log=log)
        self.chosen, self.tell = tuple(chosen), tell
        self.force = True

    def init_notebooks(self) -> None:
        """Take the chosen submissions and no others."""
        self.notebooks: list[str] = []
        self.assignments = {}
        for student, assignment in self.chosen:
            folder = self.coursedir.format_path(self._input_directory, student, assignment)
            self.assignments[folder] = [os.path.join(folder, f"{NOTEBOOK}.ipynb")]

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        self.tell(student_id, assignment_id)
        super().init_assignment(assignment_id, student_id)


def page_of(session: Session, student: str, assignment: str) -> Path:
    """Where a student's feedback page is, or will be."""
    return session.folder("feedback", student, assignment) / PAGE


def feedback(
    course: Course, progress: Progress = silent, assignments: Sequence[str] | None = None
) -> list[Trouble]:
    """Make the feedback page of every submission that has been autograded; grades given by hand are in it.

    A page that would be made of the very same again is left as it is. Returns those for which none could be made.
    Raises CourseError when the course cannot be used.
    """
    session = open_session(course)
    chosen = [
        (student, assignment)
        for student, assignment, folder in found_in(session, "autograded")
        if (assignments is None or assignment in assignments)
        and course.lesson(assignment)
        and (folder / f"{NOTEBOOK}.ipynb").is_file()
    ]
    if not chosen:
        return []
    with locked(course), one_engine():
        fresh = Freshness(session)
        stale: list[tuple[str, str]] = []
        for done, (student, assignment) in enumerate(chosen, 1):
            places = (_autograded(session, student, assignment), page_of(session, student, assignment))
            if fresh.is_fresh(student, assignment, *places):
                progress(Event("feedback", done - len(stale), len(chosen), student, assignment, known=True))
            else:
                stale.append((student, assignment))
        done = len(chosen) - len(stale)

        def tell(student: str, assignment: str) -> None:
            nonlocal done
            done += 1
            progress(Event("feedback", done, len(chosen), student, assignment))

        session.kept.lines.clear()
        # nbgrader ends with an error when any page failed; which ones is seen below
        if stale:
            with suppress(Exception, SystemExit):
                FeedbackPages(session.coursedir, stale, tell, session.config, session.log).start()
        return _missing(session, stale, fresh)


def _missing(session: Session, made: Sequence[tuple[str, str]], fresh: Freshness) -> list[Trouble]:
    """Those for which there is no page, and why; what the others were made of is noted."""
    troubles = []
    cause = shown(session.kept.cause, 200) or "nbgrader did not say why"
    for student, assignment in made:
        page = page_of(session, student, assignment)
        if page.is_file():
            fresh.remember(student, assignment, _autograded(session, student, assignment), page)
        else:
            troubles.append(Trouble(student, assignment, f"no feedback page: {cause}"))
    return troubles


def _autograded(session: Session, student: str, assignment: str) -> Path:
    return session.folder("autograded", student, assignment) / f"{NOTEBOOK}.ipynb"


def export(course: Course, path: Path | None = None) -> Path:
    """Write the course's grades as CSV, `grades.csv` in its folder by default. Returns the path."""
    session = open_session(course)
    path = path or course.folder / "grades.csv"
    plugin = QuotedCsv(config=session.config, log=session.log)
    plugin.to = str(path)
    with Gradebook(session.db_url, session.coursedir.course_id) as gradebook:
        plugin.export(gradebook)
    return path
