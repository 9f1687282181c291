"""Late penalties after `looplift grade`: by nbgrader's plugins, and again when what they depend on has changed."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

import pytest
from classroom_cases import CHECKS, HALF, LESSON, WRONG, judge, released_course, scores
from ruled import configure, due, gradebook_of, graded, hand_in_at, of, penalties, stock
from test_classroom_commands import nbgrader

from looplift.classroom import Course, grade_course

PER_HOUR = """
from nbgrader.plugins import BasePlugin
from traitlets import Float


class PerHour(BasePlugin):
    points = Float(1.0).tag(config=True)

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return self.points * round(total_seconds_late / 3600)
"""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return released_course(tmp_path)


@pytest.fixture
def late_course(course: Course) -> Course:
    """Due at noon; ann was two hours late, bob was not, cy was and has nothing to lose. A point an hour."""
    (course.folder / "late_rule.py").write_text(PER_HOUR, encoding="utf-8")
    configure(
        course,
        "sys.path.append(os.path.dirname(os.path.abspath(__file__)))",
        'c.AssignLatePenalties.plugin_class = "late_rule.PerHour"',
    )
    due(course, "2027-03-01 12:00")
    hand_in_at(course, "ann", "2027-03-01 14:00:00")
    hand_in_at(course, "bob", "2027-03-01 11:59:59")
    hand_in_at(course, "cy", "2027-03-01 20:00:00", WRONG)
    grade_course(course, judge)
    return course


def test_a_late_penalty_by_the_instructors_own_plugin_is_taken_off(late_course: Course) -> None:
    assert penalties(late_course) == {"ann": (8.0, 2.0), "bob": (10.0, 0.0), "cy": (0.0, 0.0)}
    ann = of(late_course)
    assert (ann.points, ann.penalty, ann.at) == (8.0, 2.0, datetime(2027, 3, 1, 14))
    assert scores(late_course, "ann") == CHECKS


def test_stock_nbgrader_gives_the_same_penalties(late_course: Course) -> None:
    before = penalties(late_course)
    for student in before:
        stock(late_course, "autograde", student)
    assert penalties(late_course) == before
    plain = "--ExportApp.plugin_class=nbgrader.plugins.export.CsvExportPlugin"
    nbgrader(late_course, "export", plain, "--to", "stock.csv")
    with (late_course.folder / "stock.csv").open(encoding="utf-8", newline="") as file:
        rows = {it["student_id"]: it["score"] for it in csv.DictReader(file) if it["assignment"] == LESSON}
    assert rows == {"ann": "8.0", "bob": "10.0", "cy": "0.0"}


def test_an_extension_takes_the_penalty_back_when_it_is_graded_again(late_course: Course) -> None:
    with gradebook_of(late_course) as gradebook:
        gradebook.grant_extension(LESSON, "ann", hours=3)
    assert graded(late_course) == ["recorded", "recorded before", "recorded before"]
    assert penalties(late_course)["ann"] == (10.0, 0.0)
    assert graded(late_course) == ["recorded before"] * 3


def test_another_due_date_or_another_rule_is_noticed(late_course: Course) -> None:
    due(late_course, "2027-03-01 11:00")
    assert graded(late_course) == ["recorded"] * 3
    assert penalties(late_course) == {"ann": (7.0, 3.0), "bob": (9.0, 1.0), "cy": (0.0, 0.0)}
    configure(late_course, "c.PerHour.points = 2.0")
    assert graded(late_course) == ["recorded"] * 3
    assert penalties(late_course)["ann"] == (4.0, 6.0)
    configure(late_course, 'c.CourseDirectory.course_id = "another-name"')
    assert graded(late_course) == ["recorded before"] * 3


def test_another_time_stamp_of_the_same_notebook_is_noticed(late_course: Course) -> None:
    hand_in_at(late_course, "ann", "2027-03-01 13:00:00")
    assert graded(late_course) == ["recorded", "recorded before", "recorded before"]
    assert penalties(late_course)["ann"] == (9.0, 1.0)


def test_nbgraders_own_plugin_takes_everything_off(course: Course) -> None:
    configure(course, 'c.LateSubmissionPlugin.penalty_method = "zero"')
    due(course, "2027-03-01 12:00")
    hand_in_at(course, "ann", "2027-03-01 12:00:01", HALF)
    grade_course(course, judge)
    assert penalties(course) == {"ann": (0.0, 9.0)}
