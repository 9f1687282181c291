"""A report as plain data, for programs that read JSON."""

from __future__ import annotations

from typing import Any

from looplift.report.report import Entry, LessonReport, Made, Report
from looplift.report.words import source


def report_data(report: Report) -> dict[str, Any]:
    """Names as in the CSV; students are named by their id, everything else about them stands under `students`."""
    return {
        "course": report.course,
        "students": [
            {
                "student_id": it.id,
                "last_name": it.last_name,
                "first_name": it.first_name,
                "email": it.email,
                "lms_user_id": it.lms_id,
                "points": report.points(it),
                "possible": report.possible,
            }
            for it in report.students
        ],
        "lessons": [_lesson(it) for it in report.lessons],
    }


def _lesson(lesson: LessonReport) -> dict[str, Any]:
    return {
        "lesson": lesson.name,
        "possible": lesson.possible,
        "handed_in": sum(it.handed_in or it.ungraded for it in lesson.entries),
        "average": lesson.average,
        "entries": [_entry(it) for it in lesson.entries],
        "checks": [
            {
                "check": it.name,
                "title": it.title,
                "possible": it.possible,
                "passed": it.passed,
                "mend": it.mend,
                "follows": it.follows,
                "average": it.average,
            }
            for it in lesson.checks
        ],
        "mistakes": [
            {"id": it.id, "title": it.title, "students": [_made(made) for made in it.made]}
            for it in lesson.mistakes
        ],
        "slowest": [{"student_id": it.student.id, "seconds": it.seconds} for it in lesson.slowest],
        "flagged": [{"student_id": it.student.id, "flag": it.flag} for it in lesson.flagged],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "student_id": entry.student.id,
        "handed_in": entry.handed_in or entry.ungraded,
        "graded": entry.handed_in,
        "timestamp": entry.at.isoformat() if entry.at else None,
        "points": entry.points,
        "possible": entry.possible,
        "late_penalty": entry.penalty,
        "extra_credit": entry.extra,
        "graded_by_hand": entry.by_hand,
        "needs_manual_grade": entry.waits,
        "flag": entry.flag,
        "said": entry.verdict.sentence if entry.verdict else "",
        "seconds": entry.seconds,
    }


def _made(made: Made) -> dict[str, Any]:
    where = made.where
    return {
        "student_id": made.student.id,
        "check": made.check,
        "saw": made.saw,
        "cell": where.cell if where else None,
        "line": where.line if where else None,
        "source": source(where),
    }
