"""Broken submissions: each gets a row with its reason, is flagged, loses no score, and stops nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from classroom_broken import EVERY, JUDGED, UNREADABLE, Broken
from classroom_cases import (
    CHECKS,
    LESSON,
    cell,
    comment,
    hand_in,
    judge,
    notebook,
    recorded,
    released_course,
    scores,
)

from looplift.classroom import Course, Row, feedback, grade_course
from looplift.classroom.handin import read_handin
from looplift.classroom.master import read_master
from looplift.classroom.verdicts import one_by_one, verdict_for
from looplift.lesson import find_lesson

FIRST, LAST = "aaron", "zoe"  # the class is graded in this order: broken ones stand between two right ones


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, dict[str, Row]]:
    """A class with every kind of broken submission, graded by `looplift grade`'s own way."""
    course = released_course(tmp_path_factory.mktemp("broken"))
    hand_in_all(course, EVERY)
    rows = grade_course(course, judge)
    return course, {row.student: row for row in rows}


def hand_in_all(course: Course, kinds: list[Broken]) -> None:
    for student in (FIRST, LAST):
        hand_in(course, student)
    for kind in kinds:
        folder = course.folder / "submitted" / f"m {kind.name}" / LESSON
        folder.mkdir(parents=True)
        kind.write(folder)


def test_there_are_many_kinds_and_every_one_gets_a_row(graded: tuple[Course, dict[str, Row]]) -> None:
    _, rows = graded
    assert (len(UNREADABLE), len(JUDGED)) == (13, 25)
    assert sorted(rows) == sorted([FIRST, LAST, *(f"m {kind.name}" for kind in EVERY)])


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
def test_a_broken_submission_is_flagged_with_its_reason_and_loses_no_score(
    graded: tuple[Course, dict[str, Row]], kind: Broken
) -> None:
    course, rows = graded
    student = f"m {kind.name}"
    row, grades = rows[student], recorded(course, student)
    assert kind.reason in row.flag
    assert row.possible == 10.0
    assert comment(course, student).startswith(("For review: ", "No response. For review: "))
    assert len(grades) == len(CHECKS)
    if kind.points is None:
        assert set(grades.values()) == {(None, True)}
        assert row.points == 0.0
        assert kind.reason in row.sentence
    else:
        assert sum(score for score, _ in grades.values()) == kind.points
        assert row.points == kind.points
        assert [waits for _, waits in grades.values()].count(True) == 1


def test_students_before_and_after_are_graded_and_not_flagged(graded: tuple[Course, dict[str, Row]]) -> None:
    course, rows = graded
    for student in (FIRST, LAST):
        assert (rows[student].points, rows[student].flag) == (10.0, "")
        assert scores(course, student) == CHECKS


def test_every_broken_submission_gets_a_page_with_its_reason(graded: tuple[Course, dict[str, Row]]) -> None:
    course, rows = graded
    assert feedback(course) == []
    pages = {student: row.feedback_path for student, row in rows.items()}
    assert len(pages) == len(EVERY) + 2
    for kind in EVERY:
        page = pages[f"m {kind.name}"]
        assert page is not None
        text = page.read_text(encoding="utf-8").replace("&#x27;", "'").replace("&#39;", "'")
        assert kind.reason.replace("<", "&lt;") in text, kind.name


def test_stock_autograde_grades_the_same_class_the_same_way(
    tmp_path: Path, graded: tuple[Course, dict[str, Row]]
) -> None:
    """The verdicts are made before, so that this is about nbgrader's command and not about the engine."""
    course, kinds = released_course(tmp_path), [kind for kind in EVERY if kind.stock]
    hand_in_all(course, kinds)
    lesson = find_lesson(LESSON)
    master = read_master(f"sqlite:///{course.folder / 'gradebook.db'}", LESSON, course.grade_ids(LESSON))
    for folder in sorted((course.folder / "submitted").iterdir()):
        handin = read_handin(course, LESSON, folder.name, folder / LESSON, master)
        verdict_for(course, lesson, handin, one_by_one(judge))
    made = sorted(course.verdicts.iterdir())
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "nbgrader", "autograde", LESSON],
        cwd=course.folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(it for it in sys.path if it)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert sorted(course.verdicts.iterdir()) == made
    students = [FIRST, LAST, *(f"m {kind.name}" for kind in kinds)]
    assert len(students) == 2 + len(EVERY) - 3
    for student in students:
        assert recorded(course, student) == recorded(graded[0], student), student
        assert comment(course, student) == comment(graded[0], student), student


def test_odd_but_harmless_files_are_not_flagged(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    raw = notebook()
    twice = {it["id"]: it for it in raw["cells"]}
    raw["cells"][0]["id"] = raw["cells"][1]["id"]
    assert len(twice) == len(raw["cells"])
    raw["metadata"]["kernelspec"] = {
        "name": "conda-env-torch-py",
        "display_name": "torch",
        "language": "python",
    }
    raw["cells"].append({"cell_type": "code", "source": ["1 +", " 1"], "metadata": {}, "outputs": []})
    cell(raw, "launch")["source"] = "args = (8, 1, 0)"
    hand_in(course, "ann", raw)
    hand_in(course, "bob", json.dumps(notebook()).encode("utf-16"))
    hand_in(course, "cy", b"\xef\xbb\xbf" + json.dumps(notebook()).encode())
    hand_in(course, "dee")
    hand_in(course, "dee", b"not a notebook", "Untitled.ipynb")
    rows = grade_course(course, judge)
    assert [(row.student, row.points, row.flag) for row in rows] == [
        (student, 10.0, "") for student in ("ann", "bob", "cy", "dee")
    ]
