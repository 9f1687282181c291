"""Reading a report from a course: points from nbgrader's gradebook, reasons from the verdicts that were recorded."""

from __future__ import annotations

import warnings
from collections.abc import Sequence, Set

from nbgrader.api import Assignment, BaseCell, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy.exc import SAWarning

from looplift.classroom.course import Course, CourseError
from looplift.classroom.recorded import read_recorded
from looplift.classroom.session import found_in, open_session, opened_gradebook
from looplift.report.report import Entry, Report, Student
from looplift.report.tally import lesson_report


def read_report(course: Course, assignments: Sequence[str] | None = None) -> Report:
    """What the class has now. assignments: only these, all of the gradebook's by default.

    Reads only. Raises CourseError when the course or its gradebook cannot be read, or has no such assignment.
    """
    session = open_session(course)
    with opened_gradebook(session) as gradebook, warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # nbgrader's own joins
        submitted = {(student, assignment) for student, assignment, _ in found_in(session, "submitted")}
        known = {it.id: _student(it) for it in gradebook.students}
        ids = sorted(known.keys() | {student for student, _ in submitted})
        students = [known.get(id, Student(id)) for id in ids]
        every = sorted(gradebook.assignments, key=lambda it: it.name)
        _known(assignments, [it.name for it in every])
        lessons = tuple(
            lesson_report(it.name, float(it.max_score), _entries(gradebook, course, it, students, submitted))
            for it in every
            if assignments is None or it.name in assignments
        )
    return Report(course.folder.name, tuple(students), lessons)


def _known(wanted: Sequence[str] | None, there: Sequence[str]) -> None:
    for name in wanted or ():
        if name not in there:
            raise CourseError(
                f"the gradebook has no assignment {name!r}: it has {', '.join(there) or 'none yet'}."
            )


def _student(it: object) -> Student:
    words = ("first_name", "last_name", "email", "lms_user_id")
    first, last, email, lms = (str(getattr(it, word) or "").strip() for word in words)
    return Student(str(getattr(it, "id", "")), first, last, email, lms)


def _entries(
    gradebook: Gradebook,
    course: Course,
    assignment: Assignment,
    students: Sequence[Student],
    submitted: Set[tuple[str, str]],
) -> list[Entry]:
    """One for each student, by few queries: nbgrader's objects ask the database again for every grade."""
    submissions = {
        row.student_id: row
        for row in gradebook.db.query(
            SubmittedAssignment.student_id,
            SubmittedAssignment.timestamp,
            SubmittedAssignment.score,
            SubmittedAssignment.late_submission_penalty,
        ).filter(SubmittedAssignment.assignment_id == assignment.id)
    }
    grades: dict[str, list[Grade]] = {}
    for row in (
        gradebook.db.query(
            SubmittedAssignment.student_id,
            BaseCell.name,
            Grade.score,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
        )
        .select_from(Grade)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(BaseCell, Grade.cell_id == BaseCell.id)
        .filter(SubmittedAssignment.assignment_id == assignment.id)
    ):
        grades.setdefault(row.student_id, []).append(row)
    entries = []
    for student in students:
        if student.id in submissions:
            found = grades.get(student.id, [])
            entries.append(_entry(course, assignment, student, submissions[student.id], found))
        else:
            waits = (student.id, assignment.name) in submitted
            entries.append(Entry(student, assignment.name, float(assignment.max_score), ungraded=waits))
    return entries


def _entry(
    course: Course,
    assignment: Assignment,
    student: Student,
    submission: SubmittedAssignment,
    grades: Sequence[Grade],
) -> Entry:
    penalty = float(submission.late_submission_penalty or 0.0)
    kept = read_recorded(course, student.id, assignment.name)
    return Entry(
        student=student,
        lesson=assignment.name,
        possible=float(assignment.max_score),
        handed_in=True,
        points=max(0.0, float(submission.score or 0.0) - penalty),  # as nbgrader's own export has it
        penalty=penalty,
        extra=sum(float(it.extra_credit or 0.0) for it in grades),
        by_hand=any(it.manual_score is not None for it in grades),
        waits=any(it.needs_manual_grade for it in grades),
        at=submission.timestamp,
        cells={it.name: float(it.score or 0.0) for it in grades},
        verdict=kept.verdict if kept else None,
    )
