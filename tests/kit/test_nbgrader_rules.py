"""After `looplift grade`, nbgrader rules: extra credit, points and comments by hand, a changed source, Formgrader."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from classroom_cases import (
    CHECKS,
    HALF,
    LESSON,
    RIGHT,
    WRONG,
    cell,
    comment,
    hand_in,
    judge,
    notebook,
    recorded,
    released_course,
    scores,
)
from ruled import gradebook_of, graded, of, penalties, stock
from test_classroom_formgrader import Ask, formgrader, submissions  # noqa: F401 - a fixture

from looplift.classroom import Course, feedback, grade_course


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return released_course(tmp_path)


# points, extra credit and comments by hand


def by_hand(course: Course, student: str = "ann") -> None:
    """What an instructor enters in Formgrader: points, extra credit, a comment."""
    with gradebook_of(course) as gradebook:
        grade = gradebook.find_grade("check-backward", "exercise", LESSON, student)
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        extra = gradebook.find_grade("check-prepared", "exercise", LESSON, student)
        extra.extra_credit = 0.25
        said = gradebook.find_comment("answer", "exercise", LESSON, student)
        said.manual_comment = "Well argued."


def test_points_and_extra_credit_by_hand_count_at_once_and_are_left_alone(course: Course) -> None:
    hand_in(course, "ann", notebook(WRONG))
    grade_course(course, judge)
    by_hand(course)
    assert penalties(course)["ann"] == (1.75, 0.0)
    assert (of(course).points, of(course).extra, of(course).by_hand, of(course).waits) == (
        1.75,
        0.25,
        True,
        False,
    )
    assert graded(course) == ["recorded before"]
    assert (of(course).points, of(course).waits) == (1.75, False)


@pytest.mark.parametrize("again", ["forced", "handed in anew", "by nbgrader autograde"])
def test_what_was_given_by_hand_stays_when_it_is_graded_again_and_waits_for_a_second_look(
    course: Course, again: str
) -> None:
    hand_in(course, "ann", notebook(WRONG))
    grade_course(course, judge)
    by_hand(course)
    points = {"forced": 1.75, "handed in anew": 9.0 - 1.0 + 1.75, "by nbgrader autograde": 1.75}
    if again == "by nbgrader autograde":
        stock(course, "autograde", "ann")
    else:
        hand_in(course, "ann", notebook(HALF if again == "handed in anew" else WRONG))
        assert graded(course, force=again == "forced") == ["recorded"]
    assert of(course).points == points[again]
    assert comment(course, "ann") == "Well argued."
    assert recorded(course, "ann")["check-backward"][1]  # as nbgrader does
    assert of(course).flag == "graded anew after points by hand: look again"


def test_a_comment_by_hand_and_the_flag_stand_on_the_next_feedback_page(course: Course) -> None:
    hand_in(course, "ann", notebook(HALF))
    hand_in(course, "bob", notebook(RIGHT), name="my_exercise.ipynb")
    grade_course(course, judge)
    assert feedback(course) == []
    for student in ("ann", "bob"):
        by_hand(course, student)
    grade_course(course, judge)  # nothing new, but the pages are
    assert feedback(course) == []

    def page(student: str) -> str:
        return (course.folder / "feedback" / student / LESSON / "exercise.html").read_text(encoding="utf-8")

    assert "Well argued." in page("ann") and "Well argued." in page("bob")
    assert "(Score: 9.75 / 10.0)" in page("ann")
    by_looplift = page("bob")
    stock(course, "generate_feedback", "bob")
    assert page("bob") == by_looplift


def test_a_flagged_submission_that_a_person_has_graded_waits_no_longer(course: Course) -> None:
    hand_in(course, "ann", b"not a notebook")
    grade_course(course, judge)
    assert of(course).flag.startswith("the file is not a notebook")
    with gradebook_of(course) as gradebook:
        for name in CHECKS:
            grade = gradebook.find_grade(f"check-{name}", "exercise", LESSON, "ann")
            grade.manual_score, grade.needs_manual_grade = 1.0, False
    assert graded(course) == ["recorded before"]
    assert (of(course).points, of(course).flag) == (5.0, "")


# a changed source


def change_source(course: Course, change: Callable[[dict[str, Any]], None]) -> None:
    """Edit the instructor's notebook and generate the assignment again, as nbgrader does."""
    raw = json.loads(course.source(LESSON).read_text(encoding="utf-8"))
    change(raw)
    course.source(LESSON).write_text(json.dumps(raw), encoding="utf-8")
    stock(course, "generate_assignment")


def test_other_points_in_the_source_are_counted_and_nobody_is_suspected(course: Course) -> None:
    for student, answer in (("ann", RIGHT), ("bob", HALF)):
        hand_in(course, student, notebook(answer))
    grade_course(course, judge)
    by_hand(course, "bob")

    def dearer(raw: dict[str, Any]) -> None:
        cell(raw, "check-backward")["metadata"]["nbgrader"]["points"] = 4

    change_source(course, dearer)
    rows = grade_course(course, judge)
    assert [(it.points, it.possible, it.flag) for it in rows] == [(12.0, 12.0, ""), (10.0, 12.0, "")]
    assert scores(course, "bob")["backward"] == 2.0  # half of 4
    assert of(course, "bob").points == 10.0 - 2.0 + 1.5 + 0.25
    assert of(course, "ann").possible == 12.0


def test_other_texts_in_the_source_reach_the_notebooks_that_were_handed_in(course: Course) -> None:
    hand_in(course, "ann", notebook(HALF))
    grade_course(course, judge)

    def clearer(raw: dict[str, Any]) -> None:
        given = cell(raw, "given")
        given["source"] = "# A word more.\n" + "".join(given["source"])

    change_source(course, clearer)
    (row,) = grade_course(course, judge)
    assert (row.points, row.flag) == (9.0, "")
    assert of(course).verdict.remarks == ()  # nobody is told that the student changed it
    path = course.folder / "autograded" / "ann" / LESSON / "exercise.ipynb"
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert "".join(cell(raw, "given")["source"]).startswith("# A word more.\n")


def test_a_question_of_the_instructors_own_is_graded_by_hand_beside_the_checks(course: Course) -> None:
    marks = {"grade": True, "grade_id": "why", "locked": False, "points": 3, "schema_version": 3,
             "solution": True, "task": False, "cell_type": "markdown"}  # fmt: skip
    question = {"id": "why", "cell_type": "markdown", "metadata": {"nbgrader": marks}, "source": "Why?"}
    change_source(course, lambda raw: raw["cells"].append(question))
    given = json.loads((course.folder / "release" / LESSON / "exercise.ipynb").read_text(encoding="utf-8"))
    cell(given, "answer")["source"] = RIGHT
    cell(given, "why")["source"] = "Because every process has its own rows."
    hand_in(course, "ann", given)
    grade_course(course, judge)
    assert (of(course).points, of(course).possible, of(course).flag) == (
        10.0,
        13.0,
        "waits for points by hand",
    )
    with gradebook_of(course) as gradebook:
        grade = gradebook.find_grade("why", "exercise", LESSON, "ann")
        grade.manual_score, grade.needs_manual_grade = 2.5, False
    assert graded(course) == ["recorded before"]
    assert (of(course).points, of(course).flag) == (12.5, "")


# Formgrader


def put(ask: Ask, path: str, data: dict[str, object]) -> dict[str, Any]:
    """What Formgrader's page sends when a person types. `ask` keeps the address and the token."""
    base, token = (it.cell_contents for it in ask.__closure__ or ())
    request = urllib.request.Request(base + path, json.dumps(data).encode(), method="PUT")
    request.add_header("Authorization", f"token {token}")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=120) as answer:
        return dict(json.loads(answer.read()))


def test_what_is_typed_into_formgrader_counts_and_stays(formgrader: tuple[Course, Ask]) -> None:  # noqa: F811
    course, ask = formgrader
    (ann,) = [
        it["id"]
        for it in json.loads(ask(f"/formgrader/api/submitted_notebooks/{LESSON}/exercise"))
        if it["student"] == "ann"
    ]
    grades = {it["name"]: it for it in json.loads(ask(f"/formgrader/api/grades?submission_id={ann}"))}
    done = put(
        ask, f"/formgrader/api/grade/{grades['check-backward']['id']}", {"manual_score": 2, "extra_credit": 1}
    )
    assert (done["auto_score"], done["manual_score"], done["extra_credit"]) == (1.0, 2.0, 1.0)
    (said,) = [
        it
        for it in json.loads(ask(f"/formgrader/api/comments?submission_id={ann}"))
        if it["name"] == "answer"
    ]
    put(ask, f"/formgrader/api/comment/{said['id']}", {"manual_comment": "Seen."})
    assert (of(course).points, of(course).by_hand, of(course).flag) == (11.0, True, "")
    assert graded(course) == ["recorded before", "recorded before"]
    assert submissions(ask)["ann"]["score"] == 11.0
    assert graded(course, force=True) == ["recorded", "recorded"]
    assert submissions(ask)["ann"]["score"] == 11.0
    assert submissions(ask)["ann"]["needs_manual_grade"]
    assert comment(course, "ann") == "Seen."
