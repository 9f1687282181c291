"""Grades as the CSV that a learning management system imports: Canvas or Moodle, one column a lesson.

Canvas finds a student by `ID` (a number of its own), then by `SIS User ID`, `SIS Login ID` or the name, and reads
points possible from a second row (lib/gradebook_importer.rb of instructure/canvas-lms). Moodle finds a student by
the one column that is chosen on import; an unknown student ends the whole import, and a row without an identifier
would give its grades to the student above it, so such rows are left out (grade/import/csv/classes/load_data.php of
moodle/moodle). Neither gets a grade that still waits for a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from looplift.classroom.spreadsheet import harmless
from looplift.report.report import Entry, LessonReport, Report, Student
from looplift.report.sheet import written
from looplift.verdict.text import number, visible

Lms = Literal["canvas", "moodle"]
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_LIMIT = 100  # points: what Moodle takes at most, unless its unlimited grades are on


@dataclass(frozen=True)
class LmsSheet:
    """text: the CSV. notes: sentences for the person who imports it: who is missing, what to choose."""

    text: str
    notes: tuple[str, ...]


def lms_sheet(report: Report, lms: Lms) -> LmsSheet:
    """The file for a system, and what to know before it is imported."""
    return canvas_sheet(report) if lms == "canvas" else moodle_sheet(report)


def canvas_sheet(report: Report) -> LmsSheet:
    """For Canvas: Grades, Import. A lesson that Canvas does not have yet becomes a new assignment."""
    rows: list[Sequence[object]] = [
        (*_CANVAS, *(lesson.name for lesson in report.lessons)),
        ("    Points Possible", "", "", "", "", *(number(lesson.possible) for lesson in report.lessons)),
    ]
    for at, student in enumerate(report.students):
        grades = (_grade(lesson.entries[at], "") for lesson in report.lessons)
        rows.append((*_canvas_student(student), "", *grades))
    lacking = [student for student in report.students if not student.lms_id]
    notes = _waiting(report, "empty")
    if lacking:
        notes.append(
            f"No Canvas id in the gradebook: {_ids(lacking)}. Canvas looks for their login or name instead: look at "
            "its preview, or bring the ids in with `nbgrader db student import FILE.csv` (columns id,lms_user_id) and "
            "write this again."
        )
    return LmsSheet(written(rows), tuple(notes))


def _canvas_student(student: Student) -> tuple[str, str, str, str]:
    own = student.lms_id.isascii() and student.lms_id.isdigit()
    sis = "" if own else _identifier(student.lms_id)
    return student.name, student.lms_id if own else "", sis, _identifier(student.id)


def moodle_sheet(report: Report) -> LmsSheet:
    """For Moodle: Grades, Import, CSV file. Students are told apart by the one thing that most of them have."""
    column, identify = _moodle_identity(report.students)
    times = Counter(identify(student) for student in report.students)
    rows: list[Sequence[object]] = [
        (column, "Last name", "First name", *(_moodle_heading(lesson) for lesson in report.lessons))
    ]
    lacking = []
    for at, student in enumerate(report.students):
        identifier = _identifier(identify(student))
        if not identifier or times[identifier] > 1:
            lacking.append(student)
            continue
        grades = (_grade(lesson.entries[at], "-") for lesson in report.lessons)
        rows.append((identifier, student.last_name, student.first_name, *grades))
    notes = _waiting(report, "without a grade")
    if lacking:
        notes.append(
            f"Left out, without {column[0].lower()}{column[1:]} of their own in the gradebook: {_ids(lacking)}. "
            "Bring it in with `nbgrader db student import FILE.csv` (columns id,email or id,lms_user_id) and write "
            "this again."
        )
    notes.append(
        f"In Moodle, first make a grade item for each lesson with the points in its heading as maximum grade (a new "
        f"item would get 100). Then import with comma as separator, identify users by {column!r} and map each "
        "lesson's column to its item."
    )
    entries = [entry for lesson in report.lessons for entry in lesson.entries]
    over = [entry for entry in entries if entry.points > min(entry.possible, _LIMIT)]
    if over:
        notes.append(
            f"More than the maximum, which Moodle cuts off or refuses unless unlimited grades are on: {_places(over)}."
        )
    return LmsSheet(written(rows), tuple(notes))


def _moodle_identity(students: Sequence[Student]) -> tuple[str, Callable[[Student], str]]:
    """The heading and the value of the column that identifies most students."""
    emails, numbers = (sum(bool(it(student)) for student in students) for it in (_email, _lms_id))
    if not emails and not numbers:
        return "Username", lambda student: student.id
    return ("Email address", _email) if emails >= numbers else ("ID number", _lms_id)


def _email(student: Student) -> str:
    """nbgrader leaves the address out where the student's id is one."""
    return student.email or (student.id if "@" in student.id.strip("@") else "")


def _lms_id(student: Student) -> str:
    return student.lms_id


def _identifier(text: str) -> str:
    """An identifier as it is, or none at all where a spreadsheet might run it: changed, it would name nobody."""
    return text if harmless(text) == text else ""


def _moodle_heading(lesson: LessonReport) -> str:
    return f"{lesson.name} ({number(lesson.possible)} points)"


def _grade(entry: Entry, nothing: str) -> str:
    return number(entry.points) if entry.handed_in and not entry.waits else nothing


def _waiting(report: Report, how: str) -> list[str]:
    waiting = [entry for lesson in report.lessons for entry in lesson.entries if entry.waits]
    if not waiting:
        return []
    return [f"Left {how}, as these grades still wait for a person: {_places(waiting)}."]


def _places(entries: Sequence[Entry]) -> str:
    return "; ".join(visible(f"{entry.student.id} in {entry.lesson}") for entry in entries)


def _ids(students: Sequence[Student]) -> str:
    return "; ".join(visible(student.id) for student in students)
