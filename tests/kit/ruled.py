"""What tests of nbgrader's rules do to a course and ask of it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from classroom_cases import LESSON, RIGHT, hand_in, judge, notebook
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from looplift.classroom import Course, Event, export, grade_course
from looplift.classroom.session import open_session
from looplift.report import Entry, read_report


@contextmanager
def gradebook_of(course: Course) -> Iterator[Gradebook]:
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        yield gradebook
        gradebook.db.commit()


def configure(course: Course, *lines: str) -> None:
    """Add lines to the course's nbgrader_config.py, as an instructor would."""
    with (course.folder / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("\n".join(("", *lines, "")))


def due(course: Course, when: str) -> None:
    with gradebook_of(course) as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=datetime.fromisoformat(when))


def hand_in_at(course: Course, student: str, when: str, answer: str = RIGHT) -> None:
    path = hand_in(course, student, notebook(answer))
    path.with_name("timestamp.txt").write_text(f"{when} UTC", encoding="utf-8")


def stock(course: Course, step: str, *arguments: str) -> None:
    """One of nbgrader's own steps as Formgrader runs it: in this process, which saves the start of its command."""
    session = open_session(course)
    api = NbGraderAPI(CourseDirectory(config=session.config, root=str(course.folder)), config=session.config)
    done = getattr(api, step)(LESSON, *arguments)
    assert done["success"], done


def of(course: Course, student: str = "ann") -> Entry:
    """What the report says of a student."""
    (lesson,) = read_report(course, [LESSON]).lessons
    return next(it for it in lesson.entries if it.student.id == student)


def penalties(course: Course) -> dict[str, tuple[float, float]]:
    """{student: (points after the penalty, penalty)} as exported."""
    with export(course).open(encoding="utf-8", newline="") as file:
        return {
            it["student_id"]: (float(it["score"]), float(it["late_submission_penalty"]))
            for it in csv.DictReader(file)
            if it["assignment"] == LESSON
        }


def graded(course: Course, force: bool = False) -> list[str]:
    """Grade, and say for each submission whether it was recorded."""
    events: list[Event] = []
    grade_course(course, judge, events.append, force=force)
    return [it.text for it in events if it.stage == "record"]
