"""Without our configuration: released notebooks autograde with nbgrader's own Execute, in a course of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from answered import solution, the_port, write_answered
from nbgrader.api import Gradebook

from looplift.build import instructor_notebook
from looplift.lesson import find_lesson

LESSON = find_lesson("first_loop")
WRONG = Path(__file__).parents[1] / "answers" / LESSON.name / "wrong_loader_not_prepared.py"


def _nbgrader(course: Path, *words: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic by name
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words], cwd=course, env={**os.environ, "PATH": path},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_stock_course_gives_the_same_points(tmp_path: Path) -> None:
    source = tmp_path / "source" / LESSON.name / "exercise.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(instructor_notebook(LESSON), encoding="utf-8")
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'stock'\n")
    _nbgrader(tmp_path, "generate_assignment", LESSON.name)
    answers = {"ada": solution(LESSON), "dev": WRONG.read_text(encoding="utf-8")}
    for student, answer in answers.items():
        folder = tmp_path / "submitted" / student / LESSON.name
        folder.mkdir(parents=True)
        write_answered(LESSON, answer, folder / "exercise.ipynb")
    with the_port():
        _nbgrader(tmp_path, "autograde", LESSON.name)
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        scores = {it: gradebook.find_submission(LESSON.name, it).score for it in answers}
    assert scores == {"ada": 10.0, "dev": 5.0}
