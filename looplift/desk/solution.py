"""The model solution of a lesson beside the student's own."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

from looplift.desk.desk import DeskError
from looplift.diff import Diff, diff_programs
from looplift.lesson import Lesson, LessonError, solutions_folder
from looplift.submission import Submission, SubmissionError, read_submission

_MARKS = re.compile(r"^[ \t]*### (BEGIN|END) SOLUTION[ \t]*\n?", re.MULTILINE)


def model_solution(lesson: Lesson) -> str:
    """The answer that the course itself gives. Raises DeskError, saying where to get it, outside a clone."""
    try:
        path = solutions_folder() / lesson.name / "exercise.py"
    except LessonError:
        raise DeskError(
            f"model solutions are not in the installed package, only in the course's source{_address()}: get a clone "
            f"of it and look at solutions/{lesson.name}/exercise.py, or ask whoever gave you the course."
        ) from None
    try:
        return _MARKS.sub("", _answer(read_submission(path, lesson))).strip() + "\n"
    except SubmissionError as error:
        raise DeskError(f"the model solution cannot be read: {error}") from None


def own_answer(path: Path, lesson: Lesson) -> str:
    """What the student has written; "" when they have written nothing that can be read."""
    try:
        return _answer(read_submission(path, lesson)).strip() + "\n"
    except SubmissionError:
        return ""


def beside(path: Path, lesson: Lesson) -> Diff:
    """The student's answer on the left, the model solution on the right. Raises DeskError as `model_solution`."""
    title = f"{lesson.number} {lesson.slug}"
    return diff_programs(own_answer(path, lesson), model_solution(lesson), title, ("yours", "model solution"))


def _answer(submission: Submission) -> str:
    """The answer cell; in a script without cells, and where it is missing, everything that was written."""
    answer = [it.source for it in submission.written if it.role == "answer"]
    return "\n\n".join(answer or [it.source for it in submission.written])


def _address() -> str:
    """Where the source lies, as the installed package says it, or ""."""
    try:
        urls = metadata.metadata("looplift").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    return f" ({urls[0].split(', ', 1)[-1]})" if urls else ""
