"""The exported grades: nbgrader's CSV, quoted, with a column for what still waits for a person."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from looplift.classroom.spreadsheet import harmless

COLUMNS = [
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
    "needs_manual_grade",
]


class QuotedCsv(ExportPlugin):
    """nbgrader's columns and one more.

    nbgrader's own exporter joins values with commas and quotes none, so "Doe, Jane" would break her row;
    a name that begins with `=` would be run by a spreadsheet; and a submission that waits for a person would look
    like a zero.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the file that `--to` names, `grades.csv` by default."""
        assignments, students = {str(it) for it in self.assignment}, {str(it) for it in self.student}
        path = Path(self.to or "grades.csv")
        self.log.info("Exporting grades to %s", path)
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            for assignment in gradebook.assignments:
                if assignments and assignment.name not in assignments:
                    continue
                for student in gradebook.students:
                    if not students or student.id in students:
                        row = _row(gradebook, assignment, student)
                        table.writerow(
                            {k: harmless(it) if isinstance(it, str) else it for k, it in row.items()}
                        )


def _row(gradebook: Gradebook, assignment: Any, student: Any) -> dict[str, object]:
    row = {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "max_score": assignment.max_score,
    }
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:  # nothing handed in
        scores = {"raw_score": 0.0, "late_submission_penalty": 0.0, "score": 0.0, "needs_manual_grade": False}
        return row | scores
    penalty = submission.late_submission_penalty or 0.0
    return row | {
        "timestamp": submission.timestamp,
        "raw_score": submission.score,
        "late_submission_penalty": penalty,
        "score": max(0.0, submission.score - penalty),
        "needs_manual_grade": bool(submission.needs_manual_grade),
    }
