"""Feedback pages: what they tell a student, what they never show, and when one cannot be made."""

from __future__ import annotations

import json
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from classroom_cases import (
    CHECKS,
    FINDING,
    HALF,
    LESSON,
    WRONG,
    cell,
    hand_in,
    judge,
    notebook,
    released_course,
    verdict,
)
from nbgrader.api import Gradebook

from looplift.classroom import Course, Event, feedback, grade_course
from looplift.lesson import Lesson, find_lesson
from looplift.verdict import Verdict

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return released_course(tmp_path)


def page(course: Course, student: str) -> str:
    return (course.folder / "feedback" / student / LESSON / "exercise.html").read_text(encoding="utf-8")


def test_a_page_tells_of_each_check_what_was_seen_expected_where_and_what_to_do(course: Course) -> None:
    hand_in(course, "bob", notebook(HALF))
    grade_course(course, judge)
    assert feedback(course) == []
    text = unescape(page(course, "bob"))
    for part in (FINDING.saw, FINDING.expected, FINDING.so, FINDING.next, "cell 7, line 14", "a < b & c"):
        assert part in text, part
    for name, points in CHECKS.items():
        assert name.replace("_", " ") in text
        got = 1.0 if name == "backward" else points
        assert f"Score: {got} / {points}" in text
    assert "Score: 9.0 / 10.0" in text


def test_nothing_of_a_submission_is_run_by_the_browser(course: Course) -> None:
    raw = notebook(f"def training_loop():\n    {HOSTILE!r}\n")
    raw["cells"].append(
        {"cell_type": "markdown", "source": f"# Me\n{HOSTILE}<img src=x onerror=alert(1)>", "metadata": {}}
    )
    raw["cells"].append({"cell_type": "raw", "source": HOSTILE, "metadata": {"raw_mimetype": "text/html"}})
    raw["cells"].append({"cell_type": "code", "source": HOSTILE, "metadata": {}, "outputs": [
        {"output_type": "display_data", "data": {"text/html": HOSTILE}, "metadata": {}}
    ]})  # fmt: skip
    cell(raw, "check-backward")["metadata"]["nbgrader"]["grade_id"] = HOSTILE

    def repeats(path: Path, lesson: Lesson) -> Verdict:
        said = verdict(lesson, "half")
        finding = replace(FINDING, saw=HOSTILE, next=HOSTILE + "\x1b[31m")
        checks = tuple(replace(it, finding=finding) if it.finding else it for it in said.checks)
        return replace(said, checks=checks, flag=HOSTILE)

    hand_in(course, "ann", raw)
    grade_course(course, repeats)
    assert feedback(course) == []
    text = page(course, "ann")
    assert "alert(1)" in text
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "\x1b" not in text


def test_no_page_and_no_recorded_notebook_shows_the_secret_or_the_solution(course: Course) -> None:
    solution = json.loads(course.source(LESSON).read_text(encoding="utf-8"))
    lines = "".join(cell(solution, "answer")["source"]).split("### BEGIN SOLUTION")[1].split("### END")[0]
    body = lines.strip()
    assert body.count("\n") > 5
    hand_in(course, "cy", find_lesson(LESSON).notebook)
    grade_course(course, judge)
    feedback(course)
    recorded = (course.folder / "autograded" / "cy" / LESSON / "exercise.ipynb").read_text(encoding="utf-8")
    cells = ["".join(it["source"]) for it in json.loads(recorded)["cells"]]
    assert not any(body in it for it in cells)
    assert "BEGIN SOLUTION" not in recorded
    for text in (recorded, page(course, "cy")):
        assert course.secret not in text


def test_points_given_by_hand_are_on_the_next_page(course: Course) -> None:
    hand_in(course, "cy", notebook(WRONG))
    grade_course(course, judge)
    feedback(course)
    assert "Score: 0.0 / 10.0" in page(course, "cy")
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("check-backward", "exercise", LESSON, "cy").manual_score = 1.5
        gradebook.db.commit()
    feedback(course)
    assert "Score: 1.5 / 10.0" in page(course, "cy")


def test_a_page_that_cannot_be_made_is_told_and_the_others_are_made(course: Course) -> None:
    for student in ("ann", "bob", "cy"):
        hand_in(course, student)
    grade_course(course, judge)
    spoilt = course.folder / "autograded" / "bob" / LESSON / "exercise.ipynb"
    spoilt.chmod(0o644)
    spoilt.write_text("{", encoding="utf-8")
    events: list[Event] = []
    (trouble,) = feedback(course, events.append)
    assert (trouble.student, trouble.lesson) == ("bob", LESSON)
    assert trouble.why.startswith("no feedback page: ")
    assert "Score: 10.0 / 10.0" in page(course, "ann")
    assert "Score: 10.0 / 10.0" in page(course, "cy")
    assert [(it.stage, it.done, it.total, it.student) for it in events] == [
        ("feedback", 1, 3, "ann"),
        ("feedback", 2, 3, "bob"),
        ("feedback", 3, 3, "cy"),
    ]


def test_a_course_without_grades_has_no_pages(course: Course) -> None:
    assert feedback(course) == []
    assert not (course.folder / "feedback").exists()
