"""`looplift report` on a graded course: who has what, as nbgrader counts it, and what the class made of each check."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from classroom_cases import HALF, LESSON, OTHER, RIGHT, WRONG, hand_in, judge, notebook, released_course
from nbgrader.api import Gradebook
from typer.testing import CliRunner, Result

from looplift.classroom import Course, export, grade_course
from looplift.commands import app
from looplift.lesson import Lesson
from looplift.report import Entry, LessonReport, Report, read_report
from looplift.verdict import Verdict

NAMED = {"Doe, Jane": ("Jane", "Doe", "jane@example.org"), "=cy": ("=cmd()", "Cy", "")}


def timed(path: Path, lesson: Lesson) -> Verdict:
    """The canned verdict; wrong ones took longer to judge."""
    made = judge(path, lesson)
    return replace(made, seconds=2.5 if made.passed else 7.25)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Four students, graded, and a fifth whom the gradebook knows; then points by hand and one more hand-in."""
    course = released_course(tmp_path_factory.mktemp("report"))
    for student, answer in (("ann", RIGHT), ("Doe, Jane", HALF), ("=cy", WRONG)):
        hand_in(course, student, notebook(answer))
    hand_in(course, "zed", b"not a notebook")
    hand_in(course, "ann", notebook(HALF, OTHER), lesson=OTHER)
    grade_course(course, timed)
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        for student, (first, last, email) in NAMED.items():
            gradebook.update_or_create_student(student, first_name=first, last_name=last, email=email)
        gradebook.add_student("idle")
        grade = gradebook.find_grade("check-one_training", "exercise", LESSON, "=cy")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 1.5, 0.5, False
        gradebook.find_submission_notebook("exercise", LESSON, "ann").late_submission_penalty = 4.0
        gradebook.db.commit()
    hand_in(course, "new")
    return course


@pytest.fixture(scope="module")
def report(course: Course) -> Report:
    return read_report(course)


@pytest.fixture(scope="module")
def lesson(report: Report) -> LessonReport:
    return report.lessons[0]


def entry(lesson: LessonReport, student: str) -> Entry:
    return next(it for it in lesson.entries if it.student.id == student)


def looplift(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "60", "NO_COLOR": "1"})


def test_every_lesson_has_an_entry_for_every_student(report: Report) -> None:
    assert [it.name for it in report.lessons] == [LESSON, OTHER]
    for it in report.lessons:
        assert [entry.student.id for entry in it.entries] == ["=cy", "Doe, Jane", "ann", "idle", "new", "zed"]


def test_points_are_nbgraders_with_penalties_points_by_hand_and_extra_credit(lesson: LessonReport) -> None:
    assert (entry(lesson, "ann").points, entry(lesson, "ann").penalty) == (6.0, 4.0)
    assert (entry(lesson, "Doe, Jane").points, entry(lesson, "Doe, Jane").by_hand) == (9.0, False)
    by_hand = entry(lesson, "=cy")
    assert (by_hand.points, by_hand.extra, by_hand.by_hand, by_hand.waits) == (2.0, 0.5, True, False)


def test_who_handed_in_nothing_and_who_is_not_graded_yet_are_told_apart(lesson: LessonReport) -> None:
    assert [(it.student.id, it.ungraded) for it in lesson.entries if not it.handed_in] == [
        ("idle", False),
        ("new", True),
    ]
    assert len(lesson.handed_in) == 4
    assert lesson.average == (6.0 + 9.0 + 2.0 + 0.0) / 4


def test_each_check_says_how_many_passed_and_what_it_gave_on_average(lesson: LessonReport) -> None:
    by_name = {it.name: it for it in lesson.checks}
    assert list(by_name) == ["one_accelerator", "backward", "no_manual_moves", "prepared", "one_training"]
    backward, last = by_name["backward"], by_name["one_training"]
    assert (backward.passed, backward.mend, backward.follows, backward.judged) == (1, 1, 1, 3)
    assert backward.average == (2.0 + 1.0 + 0.0) / 3
    assert last.average == (3.0 + 3.0 + 2.0) / 3  # 1.5 by hand and 0.5 extra


def test_a_kind_of_mistake_names_its_students_and_their_lines(lesson: LessonReport) -> None:
    (mistake,) = lesson.mistakes
    assert (mistake.id, mistake.title) == ("unprepared-loader", "The train loader is not prepared")
    assert [(it.student.id, it.check) for it in mistake.made] == [
        ("=cy", "one_accelerator"),
        ("Doe, Jane", "backward"),
    ]
    assert {str(it.where) for it in mistake.made} == {
        "cell 7, line 14    for batch in train_loader: a < b & c"
    }


def test_the_slowest_come_first_and_who_was_not_timed_is_left_out(lesson: LessonReport) -> None:
    assert [(it.student.id, it.seconds) for it in lesson.slowest] == [
        ("=cy", 7.25),
        ("Doe, Jane", 7.25),
        ("ann", 2.5),
    ]


def test_flagged_is_who_still_waits_for_a_person_with_the_reason(lesson: LessonReport) -> None:
    (flagged,) = lesson.flagged
    assert flagged.student.id == "zed"
    assert flagged.flag.startswith("the file is not a notebook")


def test_a_flag_is_gone_when_a_person_has_graded(course: Course, lesson: LessonReport) -> None:
    assert replace(entry(lesson, "zed"), waits=False).flag == ""


def test_the_sum_is_over_all_lessons(report: Report) -> None:
    ann = next(it for it in report.students if it.id == "ann")
    assert (report.points(ann), report.possible) == (6.0 + 8.0, 20.0)


def test_one_assignment_can_be_asked_for_and_an_unknown_one_is_said(course: Course) -> None:
    assert [it.name for it in read_report(course, [OTHER]).lessons] == [OTHER]
    done = looplift("report", str(course.folder), "-a", "03_nothing")
    assert done.exit_code == 2
    assert done.stderr.strip() == (
        f"looplift: the gradebook has no assignment '03_nothing': it has {LESSON}, {OTHER}."
    )


def test_the_report_changes_nothing(course: Course) -> None:
    def all_files() -> dict[str, int]:
        return {str(it): it.stat().st_mtime_ns for it in course.folder.rglob("*") if it.is_file()}

    before = all_files()
    read_report(course)
    assert all_files() == before
    assert len(before) > 10


def test_the_screen_says_it_all_within_60_columns(course: Course) -> None:
    done = looplift("report", str(course.folder))
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 60
    assert f"{LESSON.replace('_', ' ', 1)}: 5 of 6 handed in, 1 not graded yet" in done.stdout.replace(
        "\n", " "
    )
    assert any("ann" in it and "6 of 10" in it and "late: 4 off" in it for it in lines)
    assert "  2  unprepared-loader: The train loader is not prepared" in lines


def test_the_json_has_the_same(course: Course) -> None:
    raw = json.loads(looplift("report", str(course.folder), "--json").stdout)
    assert [it["lesson"] for it in raw["lessons"]] == [LESSON, OTHER]
    (mistake,) = raw["lessons"][0]["mistakes"]
    assert [(it["student_id"], it["cell"], it["line"]) for it in mistake["students"]] == [
        ("=cy", 7, 14),
        ("Doe, Jane", 7, 14),
    ]
    assert raw["lessons"][0]["flagged"][0]["student_id"] == "zed"
    assert raw["lessons"][0]["slowest"][0] == {"student_id": "=cy", "seconds": 7.25}


def test_the_csv_keeps_names_with_commas_and_runs_no_formula(course: Course, tmp_path: Path) -> None:
    out = tmp_path / "report.csv"
    done = looplift("report", str(course.folder), "--csv", str(out))
    assert (done.exit_code, done.stdout) == (0, "")
    rows = [it for it in csv.DictReader(io.StringIO(out.read_text("utf-8"))) if it["lesson"] == LESSON]
    assert [it["student_id"] for it in rows] == ["'=cy", "Doe, Jane", "ann", "idle", "new", "zed"]
    assert [it["first_name"] for it in rows][:2] == ["'=cmd()", "Jane"]
    assert [it["points"] for it in rows] == ["2.0", "9.0", "6.0", "0.0", "0.0", "0.0"]
    assert [it["handed_in"] for it in rows] == ["yes", "yes", "yes", "no", "ungraded", "yes"]
    jane = rows[1]
    assert (jane["mistakes"], jane["where"]) == ("unprepared-loader", "cell 7, line 14")
    assert jane["line"] == "for batch in train_loader: a < b & c"
    assert (jane["seconds"], rows[3]["seconds"]) == ("7.25", "")


def test_the_exported_grades_run_no_formula_either(course: Course, tmp_path: Path) -> None:
    with export(course, tmp_path / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {it["student_id"]: it for it in csv.DictReader(file) if it["assignment"] == LESSON}
    assert sorted(rows) == ["'=cy", "Doe, Jane", "ann", "idle", "zed"]
    assert rows["'=cy"]["first_name"] == "'=cmd()"


def test_a_course_without_grades_says_what_to_do(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    (course.folder / "gradebook.db").unlink()
    assert "run `nbgrader generate_assignment`" in " ".join(
        looplift("report", str(course.folder)).stdout.split()
    )
    done = looplift("report", str(tmp_path))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is not a looplift course" in done.stderr


def test_what_was_recorded_without_its_reasons_is_recorded_again(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    hand_in(course, "ann", notebook(HALF))
    grade_course(course, judge)
    kept = course.own / "recorded" / "ann" / LESSON / "verdict.json"
    raw = json.loads(kept.read_text("utf-8"))
    assert raw["verdict"]["checks"][1]["points"] == 1.0
    kept.unlink()
    assert read_report(course).lessons[0].checks == ()
    grade_course(course, judge)  # finds it missing, and records again
    assert read_report(course).lessons[0].checks[1].average == 1.0
