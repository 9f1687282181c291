"""Which feedback pages still say what they would say if they were made again."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Comment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook

from looplift.classroom.session import Session
from looplift.classroom.verdicts import kit_digest

Submission = tuple[str, str]  # student, assignment


class Freshness:
    """What each page was made of: the autograded notebook, and points and comments by the gradebook."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._graded = _by_gradebook(session.db_url)

    def is_fresh(self, student: str, assignment: str, notebook: Path, page: Path) -> bool:
        """True when the page is as it was made, and nothing that it is made of has changed."""
        try:
            told = json.loads(self._note(student, assignment).read_text(encoding="utf-8"))
            return told == [self._inputs(student, assignment, notebook), _digest(page.read_bytes())]
        except (OSError, ValueError):
            return False

    def remember(self, student: str, assignment: str, notebook: Path, page: Path) -> None:
        """Note what a page was made of. One that cannot be noted is made again next time."""
        note = self._note(student, assignment)
        part = note.with_name(f"{note.name}.part")
        with suppress(OSError):
            note.parent.mkdir(parents=True, exist_ok=True)
            told = [self._inputs(student, assignment, notebook), _digest(page.read_bytes())]
            part.write_text(json.dumps(told), encoding="utf-8")
            part.replace(note)

    def _note(self, student: str, assignment: str) -> Path:
        return self._session.course.own / "pages" / student / assignment / "made.json"

    def _inputs(self, student: str, assignment: str, notebook: Path) -> str:
        graded = self._graded.get((student, assignment), [])
        about = json.dumps([graded, kit_digest(), repr(self._session.config)], default=str)
        return _digest(notebook.read_bytes() + about.encode())


def _by_gradebook(db_url: str) -> dict[Submission, list[list[Any]]]:
    """All that a page shows from the gradebook, for each submission, in three queries."""
    found: dict[Submission, list[list[Any]]] = defaultdict(list)
    with Gradebook(db_url) as gradebook:
        submitted = (
            gradebook.db.query(SubmittedAssignment.student_id, Assignment.name)
            .select_from(SubmittedNotebook)
            .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        )
        grades = (
            submitted.join(Grade, Grade.notebook_id == SubmittedNotebook.id)
            .add_columns(Grade.cell_id, Grade.auto_score, Grade.manual_score, Grade.extra_credit)
            .add_columns(Grade.needs_manual_grade)
            .order_by(Grade.cell_id)
        )
        comments = (
            submitted.join(Comment, Comment.notebook_id == SubmittedNotebook.id)
            .add_columns(Comment.cell_id, Comment.auto_comment, Comment.manual_comment)
            .order_by(Comment.cell_id)
        )
        for rows in (grades, comments, submitted.add_columns(SubmittedNotebook.late_submission_penalty)):
            for student, assignment, *told in rows:
                found[student, assignment].append(told)
    return found


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
