"""Making a course: an ordinary nbgrader directory that is never spoilt by making it again."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from classroom_cases import LESSON, OTHER, released_course
from nbgrader.coursedir import CourseDirectory

from looplift.classroom import CourseError, make_course, open_course, release
from looplift.classroom import source as source_module
from looplift.classroom.session import open_session
from looplift.classroom.source import student_version
from looplift.lesson import LessonError, find_lesson


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


def test_a_course_has_sources_a_configuration_and_a_secret_that_only_its_owner_reads(tmp_path: Path) -> None:
    course = make_course(tmp_path / "term", [find_lesson(LESSON)])
    assert course.added == (LESSON,)
    assert course.source(LESSON) == course.folder / "source" / LESSON / "exercise.ipynb"
    assert (course.folder / "nbgrader_config.py").is_file()
    assert stat.S_IMODE(course.secret_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(course.own.stat().st_mode) == 0o700
    assert len(course.secret) == 64


def test_two_courses_have_different_secrets(tmp_path: Path) -> None:
    first, second = (make_course(tmp_path / name, []) for name in ("a", "b"))
    assert first.secret != second.secret


def test_making_it_again_adds_missing_lessons_and_keeps_everything_else(tmp_path: Path) -> None:
    course = make_course(tmp_path / "term", [find_lesson(LESSON)])
    secret = course.secret
    course.source(LESSON).write_text("mine", encoding="utf-8")
    (course.folder / "nbgrader_config.py").write_text("c = get_config()\n", encoding="utf-8")
    again = make_course(tmp_path / "term", [find_lesson(LESSON), find_lesson(OTHER)])
    assert again.added == (OTHER,)
    assert again.secret == secret
    assert course.source(LESSON).read_text(encoding="utf-8") == "mine"
    assert (course.folder / "nbgrader_config.py").read_text(encoding="utf-8") == "c = get_config()\n"


@pytest.mark.parametrize("name", ["thesis.txt", "nbgrader_config.py"])
def test_a_folder_with_something_else_in_it_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("", encoding="utf-8")
    with pytest.raises(CourseError, match="give a new or an empty folder"):
        make_course(tmp_path, [find_lesson(LESSON)])
    assert [it.name for it in tmp_path.iterdir()] == [name]


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "term").write_text("", encoding="utf-8")
    with pytest.raises(CourseError, match="is a file"):
        make_course(tmp_path / "term", [])


def test_opening_what_is_no_course_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="looplift course"):
        open_course(tmp_path)


def test_the_released_notebook_is_the_students_notebook(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    path = course.folder / "release" / LESSON / "exercise.ipynb"
    assert sources(path) == sources(find_lesson(LESSON).exercise)
    assert "BEGIN SOLUTION" in course.source(LESSON).read_text(encoding="utf-8")


def test_without_solutions_a_course_releases_the_same_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_solutions() -> Path:
        raise LessonError("not in the wheel")

    monkeypatch.setattr(source_module, "solutions_folder", no_solutions)
    lesson = find_lesson("03_honest_metrics")
    course = make_course(released_course(tmp_path).folder, [lesson])
    assert course.source(lesson.name).read_text(encoding="utf-8") == student_version(lesson)
    assert sources(release(course, [lesson.name])[0]) == sources(lesson.exercise)


def test_a_renamed_copy_of_a_lesson_is_still_that_lesson_and_own_assignments_are_none(tmp_path: Path) -> None:
    course = make_course(tmp_path / "term", [find_lesson(LESSON)])
    homework = course.source("homework_1")
    homework.parent.mkdir()
    homework.write_bytes(course.source(LESSON).read_bytes())
    lesson = course.lesson("homework_1")
    assert lesson is not None and lesson.name == LESSON
    assert course.lesson("quiz") is None


def test_the_configuration_of_a_course_is_read_as_nbgrader_would(tmp_path: Path) -> None:
    course = make_course(tmp_path / "my term!", [])
    session = open_session(course)
    assert isinstance(session.coursedir, CourseDirectory)
    assert session.coursedir.course_id == "my-term"
    assert session.db_url == f"sqlite:///{course.folder / 'gradebook.db'}"


def test_a_broken_configuration_is_one_sentence(tmp_path: Path) -> None:
    course = make_course(tmp_path / "term", [])
    (course.folder / "nbgrader_config.py").write_text("c = = 1\n", encoding="utf-8")
    with pytest.raises(CourseError, match="mend it first"):
        open_session(course)
