"""The step after nbgrader's SaveAutoGrades: what a person must look at is marked so in the gradebook."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook, SubmittedNotebook
from nbgrader.preprocessors import NbGraderPreprocessor

from looplift.classroom.course import open_course
from looplift.classroom.judge import MARKING
from looplift.classroom.lateness import lateness
from looplift.classroom.marking import Marking
from looplift.classroom.recorded import Recorded, write_recorded
from looplift.verdict.text import visible


class Flag(NbGraderPreprocessor):
    """Marks grades as "needs manual grade", with the reason as a comment under the student's answer.

    A check that was not made gets no automatic score at all. A submission that was judged but is odd keeps
    its scores; its first graded cell is marked, so that Formgrader lists it. What the points were given for is kept
    for `looplift report`, whoever asked for the grading.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        marking: Marking | None = resources.get(MARKING)
        if marking is None:
            return nb, resources
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            submission = gradebook.find_submission_notebook(
                about["notebook"], about["assignment"], about["student"]
            )
            if marking.flag:
                _flag(submission, marking)
                gradebook.db.commit()
            late = lateness(submission.assignment, self.config)
        course = open_course(Path(self.parent.parent.coursedir.root))
        write_recorded(course, about["student"], about["assignment"], Recorded(marking.verdict, late))
        return nb, resources


def _flag(submission: SubmittedNotebook, marking: Marking) -> None:
    grades = {grade.name: grade for grade in submission.grades}
    for mark in marking.marks:
        if mark.points is None:
            grades[mark.cell.grade_id].auto_score = None
            grades[mark.cell.grade_id].needs_manual_grade = True
    if marking.marks:
        grades[marking.marks[0].cell.grade_id].needs_manual_grade = True
    for comment in submission.comments[:1]:
        said = f"{comment.auto_comment} " if comment.auto_comment else ""
        comment.auto_comment = f"{said}For review: {as_markdown(marking.flag)}."


def as_markdown(text: str) -> str:
    """Text that Markdown and HTML show as it is; it holds pieces of the submission."""
    return re.sub(r"([\\`*_{}\[\]()#+!|~$<>-])", r"\\\1", escape(visible(text), quote=False))
