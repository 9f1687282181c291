"""A report as CSV: one row for each student and lesson."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from looplift.classroom.spreadsheet import harmless
from looplift.report.report import Entry, Report
from looplift.report.words import place, source

COLUMNS = (
    "student_id",
    "last_name",
    "first_name",
    "email",
    "lesson",
    "handed_in",  # yes, no, or ungraded: handed in since the last `looplift grade`
    "timestamp",  # when, in UTC, as nbgrader has it; empty when it does not know
    "points",  # what nbgrader counts, the late penalty taken off
    "possible",
    "late_penalty",
    "extra_credit",
    "graded_by_hand",  # yes or no
    "needs_manual_grade",  # yes or no
    "flag",  # why a person should look
    "mistakes",  # kinds, the first to mend first, separated by blanks
    "said",  # what the student is told first
    "where",  # cell and line of that
    "line",  # the text of that line
    "seconds",  # processor time of the judging; empty when it is not known
)


def report_csv(report: Report) -> str:
    """The whole file. Text is quoted where it must be, and made harmless to programs that take it for a formula."""
    return written(
        [COLUMNS, *(_row(entry) for lesson in report.lessons for entry in lesson.entries)],
    )


def written(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, every text in them made harmless."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    for row in rows:
        table.writerow([harmless(it) if isinstance(it, str) else it for it in row])
    return text.getvalue()


def _row(entry: Entry) -> list[object]:
    student, verdict = entry.student, entry.verdict
    first = verdict.first if verdict else None
    finding = first.finding if first else None
    kinds = [it.finding.id for it in (verdict.checks if verdict else ()) if it.finding and it.finding.id]
    return [
        student.id,
        student.last_name,
        student.first_name,
        student.email,
        entry.lesson,
        "ungraded" if entry.ungraded else _yes(entry.handed_in),
        entry.at.isoformat(sep=" ", timespec="seconds") if entry.at else "",
        entry.points,
        entry.possible,
        entry.penalty,
        entry.extra,
        _yes(entry.by_hand),
        _yes(entry.waits),
        entry.flag,
        " ".join(dict.fromkeys(kinds)),
        verdict.sentence if verdict else "",
        place(finding.where) if finding else "",
        source(finding.where) if finding else "",
        entry.seconds or "",
    ]


def _yes(it: bool) -> str:
    return "yes" if it else "no"
