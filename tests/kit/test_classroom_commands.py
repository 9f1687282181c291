"""nbgrader's own commands in a course of ours, word for word, as its manual has them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from answered import solution
from classroom_cases import CHECKS, LESSON, hand_in, notebook, recorded, released_course, scores

from looplift.classroom import Course
from looplift.lesson import find_lesson

NBGRADER = Path(sys.executable).parent / "nbgrader"
CELL = {"grade": False, "locked": False, "schema_version": 3, "solution": False, "task": False}


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return released_course(tmp_path)


def nbgrader(course: Course, *words: str) -> str:
    """Run a command in the course's folder, without an activated environment. Returns what it logged."""
    place = os.pathsep.join(it for it in sys.path if it)
    environment = os.environ | {"PATH": os.defpath, "PYTHONPATH": place, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [str(NBGRADER), *words], cwd=course.folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr


def test_from_a_released_exercise_to_exported_grades_with_a_verdict_by_the_engine(course: Course) -> None:
    (course.folder / "gradebook.db").unlink()
    nbgrader(course, "generate_assignment", LESSON, "--force")
    hand_in(course, "ann", notebook(solution(find_lesson(LESSON))))
    hand_in(course, "bob", (course.folder / "release" / LESSON / "exercise.ipynb").read_bytes())
    hand_in(course, "cy", notebook("import os\nos._exit(0)\n"))
    nbgrader(course, "autograde", LESSON)
    assert scores(course, "ann") == CHECKS
    assert scores(course, "bob") == dict.fromkeys(CHECKS, 0.0)
    assert sum(score or 0.0 for score in scores(course, "cy").values()) == 0.0
    nbgrader(course, "generate_feedback", LESSON)
    page = (course.folder / "feedback" / "bob" / LESSON / "exercise.html").read_text(encoding="utf-8")
    assert "Score: 0.0 / 10.0" in page
    assert "MEND" in page
    nbgrader(course, "export", "--to", "term.csv")
    with (course.folder / "term.csv").open(encoding="utf-8", newline="") as file:
        rows = {
            row["student_id"]: row["score"] for row in csv.DictReader(file) if row["assignment"] == LESSON
        }
    assert rows == {"ann": "10.0", "bob": "0.0", "cy": "0.0"}


def quiz(answer: str) -> bytes:
    """An instructor's own assignment: one answer, one test that nbgrader executes."""
    cells = [
        ("answer", answer, {"solution": True}),
        ("test", "assert x == 2", {"grade": True, "locked": True, "points": 3}),
    ]
    raw = {
        "cells": [
            {
                "cell_type": "code",
                "source": source,
                "metadata": {"nbgrader": CELL | {"grade_id": name} | marks},
                "outputs": [],
                "execution_count": None,
            }
            for name, source, marks in cells
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    return json.dumps(raw).encode()


def test_an_instructors_own_assignment_is_executed_as_ever(course: Course) -> None:
    path = course.source("quiz", "quiz")
    path.parent.mkdir()
    path.write_bytes(quiz("x = 2"))
    nbgrader(course, "generate_assignment", "quiz")
    for student, answer in (("ann", "x = 2"), ("bob", "x = 3")):
        hand_in(course, student, quiz(answer), "quiz.ipynb", "quiz")
    nbgrader(course, "autograde", "quiz")
    assert recorded_quiz(course, "ann") == {"test": 3.0}
    assert recorded_quiz(course, "bob") == {"test": 0.0}


def recorded_quiz(course: Course, student: str) -> dict[str, float | None]:
    return {name: score for name, (score, _) in recorded(course, student, "quiz", "quiz").items()}
