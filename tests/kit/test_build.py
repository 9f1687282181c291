"""`looplift build`: one source, the instructor's notebook and the student's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from looplift.build import BuildError, build_lesson, instructor_notebook, stale
from looplift.build import source as build_source
from looplift.build import student as build_student
from looplift.lesson import Lesson, find_lesson, lessons
from looplift.submission.notebook import is_to_be_written

LESSONS = lessons()
every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def cells(text: str) -> list[dict[str, Any]]:
    return json.loads(text)["cells"]


def by_grade_id(text: str) -> dict[str, str]:
    """Source of each cell that has a grade_id."""
    named = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in cells(text)}
    return {name: "".join(cell["source"]) for name, cell in named.items() if name}


@pytest.fixture
def own_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A solutions folder of the test's own, with lesson 01 in it. Gives the path of that source."""
    original = build_source.source_path(find_lesson("01"))
    source = tmp_path / "solutions" / "01_first_loop" / "exercise.py"
    source.parent.mkdir(parents=True)
    shutil.copy(original, source)
    monkeypatch.setattr(build_source, "solutions_folder", lambda: tmp_path / "solutions")
    return source


def test_there_are_lessons_to_build() -> None:
    assert len(LESSONS) >= 3


def test_two_builds_give_the_same_text() -> None:
    lesson = find_lesson("03")
    assert build_lesson(lesson) == build_lesson(lesson)
    assert instructor_notebook(lesson) == instructor_notebook(lesson)


@every_lesson
def test_both_notebooks_are_valid_and_every_cell_has_an_id_of_its_own(lesson: Lesson) -> None:
    for text in (build_lesson(lesson), instructor_notebook(lesson)):
        nbformat.validate(nbformat.reads(text, as_version=4))
        ids = [cell["id"] for cell in cells(text)]
        assert len(ids) == len(set(ids)) > 15
        assert text.endswith("}\n")


@every_lesson
def test_the_student_gets_a_stub_and_the_instructor_the_solution(lesson: Lesson) -> None:
    stub, solution = (
        by_grade_id(text)["answer"] for text in (build_lesson(lesson), instructor_notebook(lesson))
    )
    assert "raise NotImplementedError()" in stub
    assert "accelerator.prepare" not in stub
    assert "SOLUTION" not in stub
    assert "accelerator.prepare" in solution
    assert "### BEGIN SOLUTION" in solution


def to_be_written(lesson: Lesson) -> set[str]:
    """The cells that students fill in: the answer, and the launch where the lesson asks for it."""
    return {"answer", "launch"} if is_to_be_written(lesson, "launch") else {"answer"}


def test_one_lesson_lets_students_write_the_launch() -> None:
    assert [it.name for it in lessons() if "launch" in to_be_written(it)] == ["04_notebook_launch"]


@every_lesson
def test_only_the_answer_differs_between_the_two(lesson: Lesson) -> None:
    student, instructor = by_grade_id(build_lesson(lesson)), by_grade_id(instructor_notebook(lesson))
    assert student.keys() == instructor.keys()
    assert {name for name in student if student[name] != instructor[name]} == to_be_written(lesson)


@every_lesson
def test_given_cells_are_locked_and_the_answer_is_not(lesson: Lesson) -> None:
    editable = {
        cell["metadata"]["nbgrader"]["grade_id"]
        for cell in cells(build_lesson(lesson))
        if cell["cell_type"] == "code" and cell["metadata"].get("editable", True)
    }
    assert editable == to_be_written(lesson)


@every_lesson
def test_the_graded_cells_are_worth_ten_points_together(lesson: Lesson) -> None:
    graded = [
        cell["metadata"]["nbgrader"]
        for cell in cells(build_lesson(lesson))[1:]
        if "nbgrader" in cell["metadata"]
    ]
    assert sum(cell["points"] for cell in graded if cell["grade"]) == 10


def test_nbgrader_itself_makes_the_same_student_notebook(tmp_path: Path) -> None:
    lesson = find_lesson("02")
    folder = tmp_path / "source" / lesson.name
    folder.mkdir(parents=True)
    (folder / "exercise.ipynb").write_text(instructor_notebook(lesson), encoding="utf-8")
    (tmp_path / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'own'\n", encoding="utf-8"
    )
    # nbgrader starts `alembic` by name, and finds it only where PATH has the environment's programs.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", lesson.name],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    released = (tmp_path / "release" / lesson.name / "exercise.ipynb").read_text(encoding="utf-8")
    assert cells(released) == cells(build_lesson(lesson))


def test_a_changed_source_makes_the_committed_notebook_stale(own_source: Path) -> None:
    lesson = find_lesson("01")
    assert not stale(lesson)
    own_source.write_text(own_source.read_text(encoding="utf-8").replace("pleased", "glad"), encoding="utf-8")
    assert stale(lesson)


def test_a_missing_notebook_is_stale(own_source: Path, tmp_path: Path) -> None:
    lesson = find_lesson("01")
    assert stale(Lesson(lesson.name, tmp_path, lesson.graded))


def test_a_missing_source_is_named(own_source: Path) -> None:
    own_source.unlink()
    with pytest.raises(BuildError, match="exercise.py is missing"):
        build_lesson(find_lesson("01"))


def test_a_doubled_grade_id_is_named(own_source: Path) -> None:
    text = own_source.read_text(encoding="utf-8").replace('"grade_id": "see"', '"grade_id": "given"')
    own_source.write_text(text, encoding="utf-8")
    with pytest.raises(BuildError, match="several cells called given"):
        build_lesson(find_lesson("01"))


def test_what_nbgrader_refuses_is_said_with_the_file(own_source: Path) -> None:
    text = own_source.read_text(encoding="utf-8").replace("    ### END SOLUTION\n", "")
    own_source.write_text(text, encoding="utf-8")
    with pytest.raises(BuildError, match="ClearSolutions refuses .*exercise.py: no end solution"):
        build_lesson(find_lesson("01"))


def test_the_steps_are_those_of_nbgrader_without_course_and_gradebook() -> None:
    from nbgrader.converters import GenerateAssignment

    needs_a_course = {"IncludeHeaderFooter", "InstantiateTests", "SaveCells"}
    theirs = [step.__name__ for step in GenerateAssignment.class_traits()["preprocessors"].default()]
    assert [step.__name__ for step in build_student.STEPS] == [
        it for it in theirs if it not in needs_a_course
    ]
