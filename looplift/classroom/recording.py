"""Recording: nbgrader's own Autograde, one submission at a time, with the verdict already made."""

from __future__ import annotations

import json
import os
import stat
import warnings
from dataclasses import replace
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from looplift.classroom.course import NOTEBOOK
from looplift.classroom.flag import as_markdown
from looplift.classroom.handin import EXERCISE, Handin
from looplift.classroom.lateness import lateness
from looplift.classroom.marking import Marking
from looplift.classroom.opened import shown
from looplift.classroom.recorded import Recorded, read_recorded, write_recorded
from looplift.classroom.session import Session


class AutogradeOne(Autograde):
    """nbgrader's Autograde on one submission, whatever its folder holds.

    nbgrader finds submissions by the names of their files, and passes over those that have no notebook.
    """

    handin: Handin | None = None
    marking: Marking | None = None

    def init_notebooks(self) -> None:
        """Take the exercise of the one submission, whether there is such a file or not."""
        assert self.handin is not None
        folder = self.coursedir.format_path(
            self._input_directory, self.handin.student, self.handin.assignment
        )
        self.notebooks: list[str] = []
        self.assignments = {folder: [os.path.join(folder, EXERCISE)]}


def record(session: Session, marking: Marking) -> str:
    """Record a submission in the gradebook and autograded/. Returns what went wrong, "" when nothing did.

    Where nbgrader's own way fails, the points are written into the gradebook without it: no score is lost.
    """
    trouble = _by_nbgrader(session, marking)
    if not trouble:
        return ""
    trouble = f"nbgrader could not convert it ({trouble})"
    try:
        _points_only(session, marking, trouble)
    except Exception as error:  # a locked or broken gradebook
        cause = shown(str(error).splitlines()[0] if str(error) else type(error).__name__, 120)
        return f"{trouble}, and the gradebook could not be written ({cause}); run this again"
    return f"{trouble}; its points are in the gradebook, its page is missing"


def _by_nbgrader(session: Session, marking: Marking) -> str:
    """Let nbgrader's Autograde record a submission. Returns what went wrong, "" when nothing did."""
    handin = marking.handin
    session.kept.lines.clear()
    session.coursedir.assignment_id = handin.assignment
    session.coursedir.student_id = "*"
    ignored = list(session.coursedir.ignore)
    session.coursedir.ignore = ignored + _uncopyable(
        session.folder("submitted", handin.student, handin.assignment)
    )
    try:
        converter = AutogradeOne(coursedir=session.coursedir, config=session.config, log=session.log)
        converter.force = True
        converter.handin, converter.marking = handin, marking
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # nbgrader's own, three for each submission
            converter.start()
    except (Exception, SystemExit) as error:  # one student's trouble must not end the run
        return shown(session.kept.cause or f"{type(error).__name__}: {error}", 200)
    finally:
        session.coursedir.ignore = ignored
    return "" if _lateness(session, handin) is not None else "it did not say why"


def _points_only(session: Session, marking: Marking, why: str) -> None:
    """Write the points of a submission into the gradebook, every grade waiting for a person."""
    handin = marking.handin
    said = "; ".join(it for it in (marking.flag, why) if it)
    with Gradebook(session.db_url, session.coursedir.course_id) as gradebook, warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)
        gradebook.update_or_create_student(handin.student)
        gradebook.update_or_create_submission(handin.assignment, handin.student)
        submission = gradebook.find_submission_notebook(NOTEBOOK, handin.assignment, handin.student)
        points = {mark.cell.grade_id: mark.points for mark in marking.marks}
        for grade in submission.grades:
            grade.auto_score = points.get(grade.name)
            grade.needs_manual_grade = True
        for comment in submission.comments[:1]:
            comment.auto_comment = f"For review: {as_markdown(said)}."
        gradebook.db.commit()
    write_recorded(
        session.course, handin.student, handin.assignment, Recorded(replace(marking.verdict, flag=said))
    )


def is_recorded(session: Session, marking: Marking) -> bool:
    """True when this very result stands in autograded/ and in the gradebook, and no other late penalty is due."""
    handin = marking.handin
    path = session.folder("autograded", handin.student, handin.assignment) / EXERCISE
    try:
        about = json.loads(path.read_text(encoding="utf-8"))["metadata"]["looplift"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if about.get("recorded") != marking.fingerprint:
        return False
    kept = read_recorded(session.course, handin.student, handin.assignment)
    return kept is not None and _lateness(session, handin) == kept.lateness


def _lateness(session: Session, handin: Handin) -> str | None:
    """How late a submission in the gradebook is; None when it is not there, or with another time stamp."""
    folder = session.folder("submitted", handin.student, handin.assignment)
    stamp = session.coursedir.get_existing_timestamp(str(folder))
    try:
        with Gradebook(session.db_url) as gradebook:
            submission = gradebook.find_submission_notebook(NOTEBOOK, handin.assignment, handin.student)
            if stamp is not None and stamp != submission.assignment.timestamp:
                return None
            return lateness(submission.assignment, session.config)
    except (MissingEntry, SQLAlchemyError):
        return None


def _uncopyable(folder: Path) -> list[str]:
    """Names of files that nbgrader cannot copy or would wait at for ever: broken links, pipes, sockets."""
    odd = []
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                if not stat.S_ISREG(os.stat(os.path.join(place, name)).st_mode):
                    odd.append(name)
            except OSError:
                odd.append(name)
    return odd
