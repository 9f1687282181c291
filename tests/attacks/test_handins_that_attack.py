"""Hostile files: each is graded with its reason, and harms neither the course nor the pages nor the next student."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from classroom_cases import CHECKS, LESSON, comment, hand_in, judge, recorded, released_course, scores
from handins import HOSTILE, Hostile

from looplift.classroom import Course, Row, export, feedback, grade_course

LAST = "zoe"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, dict[str, Row]]:
    """A class of hostile hand-ins and one right one after them. Nothing is run: it is about the files."""
    course = released_course(tmp_path_factory.mktemp("hostile"))
    for kind in HOSTILE:
        folder = course.folder / "submitted" / f"m {kind.name}" / LESSON
        folder.mkdir(parents=True)
        kind.write(folder, course.folder)
    hand_in(course, LAST)
    rows = {row.student: row for row in grade_course(course, judge)}
    assert feedback(course) == []
    return course, rows


def test_every_hostile_hand_in_gets_a_row(graded: tuple[Course, dict[str, Row]]) -> None:
    assert len(HOSTILE) >= 28
    assert sorted(graded[1]) == sorted([LAST, *(f"m {kind.name}" for kind in HOSTILE)])


@pytest.mark.parametrize("kind", HOSTILE, ids=lambda kind: kind.name)
def test_it_earns_what_it_is_worth_and_is_flagged_with_its_reason(
    graded: tuple[Course, dict[str, Row]], kind: Hostile
) -> None:
    course, rows = graded
    student = f"m {kind.name}"
    row, grades = rows[student], recorded(course, student)
    assert kind.reason in row.flag
    assert row.possible == 10.0
    assert len(grades) == len(CHECKS)
    if kind.points is None:
        assert set(grades.values()) == {(None, True)}
    else:
        assert sum(score or 0 for score, _ in grades.values()) == kind.points == row.points
    if kind.reason:
        assert any(waits for _, waits in grades.values())
        assert "For review: " in comment(course, student)


def test_the_student_after_them_gets_all_points(graded: tuple[Course, dict[str, Row]]) -> None:
    course, rows = graded
    assert (rows[LAST].points, rows[LAST].flag) == (10.0, "")
    assert scores(course, LAST) == CHECKS


def test_no_secret_comes_back_with_the_feedback_or_lies_among_the_graded(
    graded: tuple[Course, dict[str, Row]],
) -> None:
    course, _ = graded
    secret = course.secret.encode()
    looked_at = 0
    for step in ("autograded", "feedback"):
        for path in (course.folder / step).rglob("*"):
            assert not path.is_symlink(), path
            if path.is_file():
                looked_at += 1
                data = path.read_bytes()
                assert len(data) < 5_000_000
                assert secret not in data and not data.startswith(b"SQLite"), path
    assert looked_at > 2 * len(HOSTILE)


def test_pages_carry_no_live_script_of_a_submission(graded: tuple[Course, dict[str, Row]]) -> None:
    _, rows = graded
    looked_at = 0
    for row in rows.values():
        if row.feedback_path is None:
            continue
        looked_at += 1
        page = row.feedback_path.read_text(encoding="utf-8")
        assert not re.search(r"<[^>]*\bon(error|load)\s*=", page), row.student
        assert not re.search(r"<script[^>]*>\s*alert", page), row.student
        assert not re.search(r"href=\"javascript:|src=\"data:text/html|\\href\{", page), row.student
    assert looked_at == len(HOSTILE) + 1


def test_rows_and_grades_hold_nothing_that_moves_a_cursor(graded: tuple[Course, dict[str, Row]]) -> None:
    course, rows = graded
    text = "".join(f"{row.sentence}{row.flag}" for row in rows.values()) + export(course).read_text()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", text)


def test_what_was_handed_in_is_left_as_it_was(graded: tuple[Course, dict[str, Row]]) -> None:
    course, _ = graded
    link = course.folder / "submitted" / "m a link to the secret beside" / LESSON / "data.csv"
    assert link.is_symlink() and link.resolve() == Path(course.secret_file).resolve()
