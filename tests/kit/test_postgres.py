"""A gradebook on a real PostgreSQL server, by `db_url`: graded, reported, exported; no server is one line."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from classroom_cases import (
    CHECKS,
    HALF,
    LESSON,
    RIGHT,
    WRONG,
    Counted,
    hand_in,
    judge,
    notebook,
)
from nbgrader.api import Gradebook
from postgres_server import Server, running_server
from test_classroom_commands import nbgrader
from typer.testing import CliRunner, Result

from looplift.classroom import (
    Course,
    CourseError,
    Event,
    export,
    feedback,
    grade_course,
    make_course,
    release,
)
from looplift.classroom.database import gradebook_name, reach
from looplift.commands import app
from looplift.lesson import Lesson, find_lesson
from looplift.report import read_report
from looplift.verdict import Verdict

CLASS = {"ann": RIGHT, "Doe, Jane": HALF, "cy": WRONG}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as server:
        yield server


def course_on(folder: Path, db_url: str) -> Course:
    """A course whose nbgrader_config.py names another gradebook."""
    course = make_course(folder, [find_lesson(LESSON)])
    with (course.folder / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"\nc.CourseDirectory.db_url = {db_url!r}\n")
    return course


def filled(course: Course) -> Course:
    for student, answer in CLASS.items():
        hand_in(course, student, notebook(answer))
    hand_in(course, "zed", b"not a notebook")
    return course


@pytest.fixture(scope="module")
def course(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Graded on PostgreSQL, with points and a comment by hand."""
    url = server.make("term")
    course = course_on(tmp_path_factory.mktemp("postgres") / "term", url)
    release(course, [LESSON])
    grade_course(filled(course), judge)
    with Gradebook(url) as gradebook:
        by_hand(gradebook)
    return course


def by_hand(gradebook: Gradebook) -> None:
    grade = gradebook.find_grade("check-backward", "exercise", LESSON, "cy")
    grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 1.5, 0.25, False
    gradebook.find_comment("answer", "exercise", LESSON, "cy").manual_comment = "Seen."
    gradebook.db.commit()


def looplift(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200", "NO_COLOR": "1"})


def exported(course: Course) -> list[dict[str, str]]:
    with export(course, course.folder / "test.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_points_flags_and_points_by_hand_are_on_the_server(server: Server, course: Course) -> None:
    assert not (course.folder / "gradebook.db").exists()
    with Gradebook(server.url("term")) as gradebook:
        found = {it.student.id: it.score for it in gradebook.assignment_submissions(LESSON)}
        assert found == {"ann": 10.0, "Doe, Jane": 9.0, "cy": 1.75, "zed": 0.0}
        grades = gradebook.find_submission_notebook("exercise", LESSON, "Doe, Jane").grades
        assert {it.name: it.auto_score for it in grades} == {
            f"check-{name}": 1.0 if name == "backward" else points for name, points in CHECKS.items()
        }
        assert gradebook.find_submission(LESSON, "zed").needs_manual_grade
        said = gradebook.find_comment("answer", "exercise", LESSON, "zed").comment
        assert "For review: the file is not a notebook" in said


def test_a_second_run_judges_and_records_nothing(course: Course) -> None:
    counted, events = Counted(), list[Event]()
    grade_course(course, counted, events.append)
    assert counted.asked == 0
    assert [it.text for it in events if it.stage == "record"] == ["recorded before"] * 4


def test_the_exported_grades_are_those_on_the_server(course: Course) -> None:
    columns = (
        "student_id",
        "raw_score",
        "late_submission_penalty",
        "score",
        "max_score",
        "needs_manual_grade",
    )
    assert [tuple(row[it] for it in columns) for row in exported(course)] == [
        ("Doe, Jane", "9.0", "0.0", "9.0", "10.0", "False"),
        ("ann", "10.0", "0.0", "10.0", "10.0", "False"),
        ("cy", "1.75", "0.0", "1.75", "10.0", "False"),
        ("zed", "0.0", "0.0", "0.0", "10.0", "True"),
    ]


def test_the_report_reads_it(course: Course) -> None:
    (lesson,) = read_report(course).lessons
    assert {it.student.id: it.points for it in lesson.entries} == {
        "Doe, Jane": 9.0, "ann": 10.0, "cy": 1.75, "zed": 0.0,
    }  # fmt: skip
    assert [it.student.id for it in lesson.flagged] == ["zed"]
    raw = json.loads(looplift("report", str(course.folder), "--json").stdout)
    assert [it["student_id"] for it in raw["lessons"][0]["mistakes"][0]["students"]] == ["Doe, Jane", "cy"]


def test_feedback_pages_have_what_was_given_by_hand(course: Course) -> None:
    assert feedback(course) == []
    page = (course.folder / "feedback" / "cy" / LESSON / "exercise.html").read_text(encoding="utf-8")
    assert "(Score: 1.75 / 10.0)" in page
    assert "Seen." in page


def test_stock_autograde_works_and_keeps_what_was_given_by_hand(course: Course) -> None:
    nbgrader(course, "autograde", LESSON, "--force")
    assert {it["student_id"]: it["score"] for it in exported(course)} == {
        "Doe, Jane": "9.0", "ann": "10.0", "cy": "1.75", "zed": "0.0",
    }  # fmt: skip


def test_a_name_that_is_too_long_for_the_server_costs_only_its_own_student(
    server: Server, tmp_path: Path
) -> None:
    course = course_on(tmp_path / "names", server.make("names"))
    release(course, [LESSON])
    names = ["a" * 200, "bob", "é 반 'quoted' \"twice\"; DROP TABLE student"]
    for name in names:
        hand_in(course, name)
    rows = {row.student: row for row in grade_course(course, judge)}
    assert [rows[name].points for name in names] == [10.0, 10.0, 10.0]
    assert "the gradebook could not be written" in rows[names[0]].flag
    assert [rows[name].flag for name in names[1:]] == ["", ""]
    entries = {it.student.id: it for it in read_report(course).lessons[0].entries}
    assert [entries[name].points for name in names] == [0.0, 10.0, 10.0]
    assert entries[names[0]].ungraded


def test_a_server_that_dies_in_the_middle_is_said_and_the_next_run_finishes(tmp_path: Path) -> None:
    with running_server() as mortal:
        course = course_on(tmp_path / "term", mortal.make("term"))
        release(course, [LESSON])
        filled(course)

        def deadly(path: Path, lesson: Lesson) -> Verdict:
            mortal.stop()
            return judge(path, lesson)

        rows = grade_course(course, deadly)
        assert len(rows) == 4
        assert all("the gradebook could not be written" in row.flag for row in rows)
        with pytest.raises(CourseError, match="cannot be reached"):
            grade_course(course, judge)
        mortal.start()
        counted = Counted()
        assert [row.points for row in grade_course(course, counted)] == [9.0, 10.0, 0.0, 0.0]
        assert counted.asked == 0  # the verdicts were kept
        assert [it["score"] for it in exported(course)] == ["9.0", "10.0", "0.0", "0.0"]


@pytest.mark.parametrize(
    ("db_url", "said"),
    [
        ("postgresql+psycopg://teacher:s3cret@127.0.0.1:1/term", "cannot be reached"),
        ("postgresql+psycopg://teacher@/nowhere?host={folder}", 'database "nowhere" does not exist'),
        ("postgresql+nodriver://teacher@127.0.0.1/term", "is no address of a database"),
        ("postgresql+pg8000://teacher@127.0.0.1/term", "pg8000 is not installed: pip install 'looplift[postgres]'"),
        ("my gradebook", "is no address of a database"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_address_is_one_line(
    server: Server, tmp_path: Path, db_url: str, said: str
) -> None:
    course = course_on(tmp_path / "term", db_url.format(folder=server.folder))
    for command in ("report", "grade"):
        done = looplift(command, str(course.folder))
        assert (done.exit_code, done.stdout) == (2, ""), command
        (line,) = done.stderr.strip().splitlines()
        assert line.startswith("looplift: ") and said in line
        assert "s3cret" not in line


def test_a_gradebook_is_named_without_its_password() -> None:
    assert gradebook_name("sqlite:////term/gradebook.db") == "/term/gradebook.db"
    assert gradebook_name("postgresql://a:b@db/term") == "postgresql://a:***@db/term"
    reach("sqlite:////nowhere/gradebook.db")  # nbgrader's own file needs no server


def test_the_server_and_its_folder_are_gone_afterwards() -> None:
    with running_server() as mortal:
        folder, pid = mortal.folder, mortal.pid
        assert (folder / "data").is_dir()
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
