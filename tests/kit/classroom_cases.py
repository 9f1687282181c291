"""A small class for tests: courses, submissions, a judge without torch, what stands in the gradebook."""

from __future__ import annotations

import atexit
import copy
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from looplift.classroom import Course, make_course, open_course, release
from looplift.lesson import Lesson, find_lesson
from looplift.verdict import CheckResult, Finding, Place, Verdict

LESSON = "01_first_loop"
OTHER = "02_warmup_schedule"
ANSWER = "def training_loop(batch_size=16, epochs=3, seed=42):\n    {}\n"
RIGHT = ANSWER.format("print('right')")
HALF = ANSWER.format("print('half')")
WRONG = ANSWER.format("print('wrong')")
CHECKS = {
    "one_accelerator": 1.0,
    "backward": 2.0,
    "no_manual_moves": 2.0,
    "prepared": 2.0,
    "one_training": 3.0,
}
FINDING = Finding(
    "unprepared-loader",
    saw="the train loader was not passed to prepare",
    expected="a loader that came back from prepare",
    so="both processes read all 48 rows",
    where=Place("exercise.ipynb", 14, 7, "for batch in train_loader: a < b & c"),
    next="prepare the loader too",
)


def judge(path: Path, lesson: Lesson) -> Verdict:
    """Says what the last training_loop in the notebook prints: right, half (1 of 2 for backward) or wrong."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(it["source"]) for it in cells if it["cell_type"] == "code")
    said = [word for word in code.split("'") if word in ("right", "half", "wrong")]
    return verdict(lesson, said[-1] if said else "wrong")


def verdict(lesson: Lesson, said: str) -> Verdict:
    checks = [
        CheckResult(name, name.replace("_", " "), it, it, "pass") for name, it in points_of(lesson).items()
    ]
    if said == "half":
        checks[1] = replace(checks[1], points=checks[1].possible / 2, status="mend", finding=FINDING)
    if said == "wrong":
        checks = [replace(it, points=0.0, status="follows") for it in checks]
        checks[0] = replace(checks[0], status="mend", finding=FINDING)
    return Verdict(lesson.name, "exercise.ipynb", tuple(checks), kit="test")


def points_of(lesson: Lesson) -> dict[str, float]:
    marks = [cell["metadata"].get("nbgrader", {}) for cell in lesson.notebook["cells"]]
    return {it["grade_id"].removeprefix("check-"): float(it["points"]) for it in marks if it.get("grade")}


class Counted:
    """A judge that counts how often it is asked."""

    def __init__(self, inner: Callable[[Path, Lesson], Verdict] = judge) -> None:
        self.inner, self.asked = inner, 0

    def __call__(self, path: Path, lesson: Lesson) -> Verdict:
        self.asked += 1
        return self.inner(path, lesson)


@lru_cache(maxsize=1)
def _released() -> Path:
    """A course with two lessons released; making it takes seconds, so tests copy it."""
    folder = Path(tempfile.mkdtemp(prefix="looplift-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    release(make_course(folder / "term", [find_lesson(LESSON), find_lesson(OTHER)]), [LESSON, OTHER])
    return folder / "term"


def released_course(folder: Path) -> Course:
    """A course of one's own in `folder`, its lessons released, nothing handed in."""
    return open_course(Path(shutil.copytree(_released(), folder / "term")))


def notebook(answer: str = RIGHT, lesson: str = LESSON) -> dict[str, Any]:
    """The students' notebook with an answer in it, as a dict of one's own."""
    raw = copy.deepcopy(find_lesson(lesson).notebook)
    cell(raw, "answer")["source"] = answer
    return raw


def cell(raw: dict[str, Any], grade_id: str) -> dict[str, Any]:
    return next(it for it in raw["cells"] if it["metadata"].get("nbgrader", {}).get("grade_id") == grade_id)


def hand_in(
    course: Course,
    student: str,
    content: dict[str, Any] | bytes | None = None,
    name: str = "exercise.ipynb",
    lesson: str = LESSON,
) -> Path:
    """Put a notebook into submitted/; its path. content: a right answer when it is None."""
    folder = course.folder / "submitted" / student / lesson
    folder.mkdir(parents=True, exist_ok=True)
    raw = notebook(lesson=lesson) if content is None else content
    path = folder / name
    path.write_bytes(raw if isinstance(raw, bytes) else json.dumps(raw).encode())
    return path


def recorded(
    course: Course, student: str, lesson: str = LESSON, name: str = "exercise"
) -> dict[str, tuple[float | None, bool]]:
    """{graded cell: (automatic score, waits for a person)} as the gradebook has it."""
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        submission = gradebook.find_submission_notebook(name, lesson, student)
        return {it.name: (it.auto_score, it.needs_manual_grade) for it in submission.grades}


def scores(course: Course, student: str, lesson: str = LESSON) -> dict[str, float | None]:
    return {name.removeprefix("check-"): it[0] for name, it in recorded(course, student, lesson).items()}


def comment(course: Course, student: str, lesson: str = LESSON) -> str:
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        return gradebook.find_comment("answer", "exercise", lesson, student).comment or ""


def autograded(course: Course, student: str, lesson: str = LESSON) -> dict[str, Any]:
    path = course.folder / "autograded" / student / lesson / "exercise.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))
