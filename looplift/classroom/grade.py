"""Grading a course: first every verdict, then nbgrader records one submission after another."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from looplift.classroom.course import Course, CourseError, GradebookError
from looplift.classroom.engine import one_engine
from looplift.classroom.event import Event, Progress, silent
from looplift.classroom.handin import Handin
from looplift.classroom.interrupt import uninterrupted
from looplift.classroom.judging import Judging, Submission
from looplift.classroom.marking import Marking, mark
from looplift.classroom.master import Master, read_master
from looplift.classroom.opened import shown
from looplift.classroom.pages import page_of
from looplift.classroom.recording import is_recorded, record
from looplift.classroom.session import Session, found_in, locked, open_session
from looplift.classroom.verdicts import Judge, job_for, one_by_one, read_kept, sweep
from looplift.classroom.warmth import require_sandbox, warm_judges
from looplift.lesson import Lesson
from looplift.pool import Judges
from looplift.verdict import Verdict


@dataclass(frozen=True)
class Row:
    """What came of one submission.

    sentence: the one sentence its student is told. flag: why a person must look at it, "" when nobody must.
    feedback_path: where its page is once `feedback` has been run; None when nothing could be recorded.
    """

    student: str
    lesson: str
    points: float
    possible: float
    sentence: str
    flag: str = ""
    feedback_path: Path | None = None


def grade_course(
    course: Course,
    judge: Judge | None = None,
    progress: Progress = silent,
    force: bool = False,
    assignments: Sequence[str] | None = None,
    again: bool = False,
    judges: Judges | None = None,
) -> list[Row]:
    """Judge and record all that was handed in; a row for each, by student and assignment.

    judges: make the verdicts; warm processes in sandboxes, one for each core, when None. judge: one for one file, in
    their place. again: judge again what has a verdict already. force: record again what is recorded already.
    assignments: only these.
    Verdicts are kept as they are made, and what is recorded is not recorded again; so a run that was killed at any
    instant is finished by the next. A submission that cannot be judged or recorded gets a row whose flag says why,
    and the run goes on. Raises CourseError when the course itself cannot be used.
    """
    session = open_session(course)
    with ExitStack() as stack:
        stack.enter_context(one_engine())
        submissions, rows = _handed_in(session, assignments)
        sweep(course)
        if judge is not None:
            judges = one_by_one(judge)
        if judges is None:
            require_sandbox()
            judges = stack.enter_context(warm_judges())
        unkept = _judge_all(course, submissions, judges, progress, again)
        rows += _record_all(session, submissions, unkept, progress, force)
    return sorted(rows, key=lambda row: (row.student, row.lesson))


def _handed_in(session: Session, assignments: Sequence[str] | None) -> tuple[list[Submission], list[Row]]:
    """What was handed in, and rows for what belongs to no assignment."""
    course = session.course
    submissions: list[Submission] = []
    lost: list[Row] = []
    masters: dict[str, tuple[Lesson | None, Master | CourseError]] = {}
    for student, assignment, folder in found_in(session, "submitted"):
        if assignments is not None and assignment not in assignments:
            continue
        if assignment not in masters:
            lesson = course.lesson(assignment)
            masters[assignment] = (lesson, _master(session, assignment, lesson))
        lesson, master = masters[assignment]
        if lesson is None and _is_instructors(course, assignment):
            continue
        if lesson is None or isinstance(master, CourseError):
            lost.append(_lost(student, assignment, str(master)))
        else:
            submissions.append(Submission(student, assignment, folder, lesson, master))
    return submissions, lost


def _is_instructors(course: Course, assignment: str) -> bool:
    """Whether what is no lesson is an assignment of the instructor's own: nbgrader grades it, nothing here does."""
    return (course.folder / "source" / assignment).is_dir()


def _master(session: Session, assignment: str, lesson: Lesson | None) -> Master | CourseError:
    if lesson is None:
        return CourseError(
            f"there is no assignment called {shown(assignment)}: give the folder the right name"
        )
    try:
        return read_master(session.db_url, assignment, session.course.grade_ids(assignment))
    except GradebookError:
        raise
    except CourseError as error:
        return error


def _lost(student: str, assignment: str, why: str) -> Row:
    return Row(student, assignment, 0.0, 0.0, why, flag=why)


def _judge_all(
    course: Course, submissions: Sequence[Submission], judges: Judges, progress: Progress, again: bool
) -> dict[int, Verdict]:
    """Have a verdict kept for each submission. Returns those that cannot be kept, by the submission's index."""
    judging = Judging(course, submissions, progress, again)
    for job, made in judges(judging.jobs(), judging.tell):
        judging.take(job, made)
    return judging.unkept


def _record_all(
    session: Session,
    submissions: Sequence[Submission],
    unkept: dict[int, Verdict],
    progress: Progress,
    force: bool,
) -> list[Row]:
    rows = []
    for index, submission in enumerate(submissions):
        handin = submission.read(session.course)
        verdict = unkept.get(index) or _kept(session.course, submission, handin)
        if verdict is None:
            row = _lost(
                submission.student,
                submission.assignment,
                "it was changed while it was judged: run this again",
            )
            outcome, known = row.flag, False
        else:
            row, outcome, known = _recorded(session, mark(handin, verdict), force)
        rows.append(row)
        progress(Event("record", index + 1, len(submissions), row.student, row.lesson, outcome, known=known))
    return rows


def _kept(course: Course, submission: Submission, handin: Handin) -> Verdict | None:
    job = job_for(course, submission.lesson, handin)
    verdict = read_kept(course, job.key) if job else None
    return replace(verdict, submission=handin.file) if verdict else None


def _recorded(session: Session, marking: Marking, force: bool) -> tuple[Row, str, bool]:
    """Record one. Returns its row, what came of it, and whether it had been recorded before."""
    student, assignment = marking.handin.student, marking.handin.assignment
    with (
        locked(session.course),
        uninterrupted(),
    ):  # for each one, so that a second run waits seconds, not the whole class
        known = not force and is_recorded(session, marking)
        trouble = "" if known else record(session, marking)
    page = None if trouble else page_of(session, student, assignment)
    flag = "; ".join(it for it in (marking.flag, trouble) if it)
    row = Row(student, assignment, marking.points, marking.possible, marking.sentence, flag, page)
    return row, trouble or ("recorded before" if known else "recorded"), known
