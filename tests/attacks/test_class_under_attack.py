"""A class graded as `looplift grade` grades it, hostile students first: the last one still gets all points."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from arena import attacks, honest, left_over
from classroom_cases import hand_in, notebook, recorded, released_course, scores

from looplift.classroom import Course, Row, feedback, grade_course

CHOSEN = ("grader_killed", "course_read", "gradebook_written", "daemon_left", "fault_claimed",
          "recorder_found_by_frames", "escape_codes_shown", "script_shown")  # fmt: skip
LAST = "zoe"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, dict[str, Row]]:
    course = released_course(tmp_path_factory.mktemp("class"))
    hostile = {it.name: it for it in attacks(0.0) if it.name in CHOSEN}
    assert len(hostile) == len(CHOSEN)
    for name, attack in hostile.items():
        text = attack.text.replace("{COURSE}", str(course.folder))
        hand_in(course, f"m {name}", notebook(text))
    hand_in(course, LAST, notebook(honest()))
    rows = {row.student: row for row in grade_course(course)}
    assert feedback(course) == []
    return course, rows


def test_the_last_student_gets_all_points(graded: tuple[Course, dict[str, Row]]) -> None:
    course, rows = graded
    assert (rows[LAST].points, rows[LAST].flag) == (10.0, "")
    assert sum(score or 0 for score in scores(course, LAST).values()) == 10.0


def test_every_hostile_student_has_a_row_a_reason_and_no_point(graded: tuple[Course, dict[str, Row]]) -> None:
    course, rows = graded
    assert len(rows) == len(CHOSEN) + 1
    for name in CHOSEN:
        row = rows[f"m {name}"]
        assert (row.points, row.possible) == (0.0, 10.0), name
        assert row.sentence, name
        assert len(recorded(course, f"m {name}")) == 5
    flagged = [name for name in CHOSEN if rows[f"m {name}"].flag]
    assert set(flagged) >= {"fault_claimed", "recorder_found_by_frames"}


def test_nothing_of_the_course_stands_in_what_students_get(graded: tuple[Course, dict[str, Row]]) -> None:
    course, rows = graded
    pages = [row.feedback_path for row in rows.values() if row.feedback_path is not None]
    assert len(pages) == len(rows)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert course.secret not in text
        assert not re.search(r"<script[^>]*>\s*alert|<img[^>]*onerror", text), page
    assert not list(Path(course.folder).rglob("written"))


def test_nothing_is_left_running(graded: tuple[Course, dict[str, Row]]) -> None:
    assert graded
    assert left_over() == {}
