"""From verdicts to nbgrader's gradebook: full, partial and no points, once and again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from classroom_cases import (
    CHECKS,
    HALF,
    LESSON,
    OTHER,
    RIGHT,
    WRONG,
    Counted,
    autograded,
    cell,
    comment,
    hand_in,
    judge,
    notebook,
    recorded,
    released_course,
    scores,
    verdict,
)
from nbgrader.api import Gradebook

from looplift.classroom import Course, Event, export, grade_course, release
from looplift.lesson import Lesson
from looplift.verdict import Verdict


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return released_course(tmp_path)


def test_full_partial_and_no_points_come_into_the_gradebook(course: Course) -> None:
    for student, answer in (("ann", RIGHT), ("bob", HALF), ("cy", WRONG)):
        hand_in(course, student, notebook(answer))
    rows = grade_course(course, judge)
    assert [(row.student, row.points, row.possible, row.flag) for row in rows] == [
        ("ann", 10.0, 10.0, ""),
        ("bob", 9.0, 10.0, ""),
        ("cy", 0.0, 10.0, ""),
    ]
    assert scores(course, "ann") == CHECKS
    assert scores(course, "bob") == CHECKS | {"backward": 1.0}
    assert scores(course, "cy") == dict.fromkeys(CHECKS, 0.0)
    assert not any(
        waits for student in ("ann", "bob", "cy") for _, waits in recorded(course, student).values()
    )


def test_a_row_tells_the_one_sentence_that_its_student_is_told(course: Course) -> None:
    hand_in(course, "bob", notebook(HALF))
    (row,) = grade_course(course, judge)
    assert row.sentence.startswith("the train loader was not passed to prepare, so both processes read")
    assert row.feedback_path == course.folder / "feedback" / "bob" / LESSON / "exercise.html"


def test_points_follow_the_cells_when_an_instructor_changed_what_they_are_worth(course: Course) -> None:
    raw = json.loads(course.source(LESSON).read_text(encoding="utf-8"))
    cell(raw, "check-backward")["metadata"]["nbgrader"]["points"] = 5
    course.source("homework").parent.mkdir()
    course.source("homework").write_text(json.dumps(raw), encoding="utf-8")
    release(course, ["homework"])
    given = json.loads(
        (course.folder / "release" / "homework" / "exercise.ipynb").read_text(encoding="utf-8")
    )
    cell(given, "answer")["source"] = HALF
    hand_in(course, "bob", given, lesson="homework")
    (row,) = grade_course(course, judge)
    assert scores(course, "bob", "homework")["backward"] == 2.5
    assert (row.points, row.possible, row.flag) == (10.5, 13.0, "")


def test_what_a_student_left_in_the_outputs_changes_nothing(course: Course) -> None:
    raw = notebook(WRONG)
    for it in raw["cells"]:
        if it["cell_type"] == "code":
            it["outputs"] = [
                {
                    "output_type": "execute_result",
                    "data": {"text/plain": "3"},
                    "metadata": {},
                    "execution_count": 1,
                }
            ]
    hand_in(course, "ann", raw)
    raw = notebook(RIGHT)
    cell(raw, "check-backward")["outputs"] = [{"output_type": "stream", "name": "stderr", "text": "noise"}]
    hand_in(course, "bob", raw)
    grade_course(course, judge)
    assert scores(course, "ann") == dict.fromkeys(CHECKS, 0.0)
    assert scores(course, "bob") == CHECKS


def test_a_changed_check_cell_is_graded_as_it_was_handed_out_and_noted(course: Course) -> None:
    raw = notebook(HALF)
    cell(raw, "check-backward")["source"] = "2"
    hand_in(course, "ann", raw)
    (row,) = grade_course(course, judge)
    assert scores(course, "ann")["backward"] == 1.0
    assert row.flag == ""
    answer = cell(autograded(course, "ann"), "answer")
    assert "check-backward was changed" in "".join(answer["outputs"][0]["data"]["text/plain"])
    assert (
        "".join(cell(autograded(course, "ann"), "check-backward")["source"])
        == 'check("backward", training_loop)'
    )


def test_cells_are_numbered_as_a_run_of_all_would(course: Course) -> None:
    hand_in(course, "ann")
    grade_course(course, judge)
    numbers = [
        it["execution_count"] for it in autograded(course, "ann")["cells"] if it["cell_type"] == "code"
    ]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 10


def test_the_submitted_files_are_never_touched(course: Course) -> None:
    path = hand_in(course, "ann", b'{"cells": [], "nbformat": 3')
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    grade_course(course, judge)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_what_is_recorded_is_neither_judged_nor_recorded_again(course: Course) -> None:
    hand_in(course, "ann")
    counted = Counted()
    events: list[Event] = []
    first = grade_course(course, counted)
    again = grade_course(course, counted, events.append)
    assert counted.asked == 1
    assert first == again
    assert [it.text for it in events if it.stage == "record"] == ["recorded before"]


def test_a_changed_submission_is_judged_and_recorded_again(course: Course) -> None:
    counted = Counted()
    hand_in(course, "ann", notebook(WRONG))
    grade_course(course, counted)
    hand_in(course, "ann", notebook(RIGHT))
    grade_course(course, counted)
    assert counted.asked == 2
    assert scores(course, "ann") == CHECKS


def test_a_submission_missing_from_the_gradebook_is_recorded_again(course: Course) -> None:
    hand_in(course, "ann")
    grade_course(course, judge)
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        gradebook.remove_student("ann")
    grade_course(course, judge)
    assert scores(course, "ann") == CHECKS


def test_force_records_again_and_keeps_what_a_person_gave(course: Course) -> None:
    hand_in(course, "ann", notebook(WRONG))
    grade_course(course, judge)
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("check-backward", "exercise", LESSON, "ann").manual_score = 1.5
        gradebook.db.commit()
    events: list[Event] = []
    grade_course(course, judge, events.append, force=True)
    assert [it.text for it in events if it.stage == "record"] == ["recorded"]
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        assert gradebook.find_grade("check-backward", "exercise", LESSON, "ann").score == 1.5


def test_two_equal_notebooks_are_judged_once(course: Course) -> None:
    counted = Counted()
    for student in ("ann", "bob"):
        hand_in(course, student)
    assert len(grade_course(course, counted)) == 2
    assert counted.asked == 1


def test_another_secret_asks_the_judge_again(course: Course) -> None:
    counted = Counted()
    hand_in(course, "ann")
    grade_course(course, counted)
    course.secret_file.unlink()
    grade_course(course, counted)
    assert counted.asked == 2


def test_progress_tells_each_step_of_both_stages_in_order(course: Course) -> None:
    for student in ("ann", "bob"):
        hand_in(course, student)
        hand_in(course, student, notebook(HALF, OTHER), lesson=OTHER)
    events: list[Event] = []
    grade_course(course, judge, events.append)
    assert [(it.stage, it.done, it.total) for it in events] == [
        *(("judge", n, 4) for n in (1, 2, 3, 4)),
        *(("record", n, 4) for n in (1, 2, 3, 4)),
    ]
    assert {(it.student, it.lesson) for it in events} == {
        (student, lesson) for student in ("ann", "bob") for lesson in (LESSON, OTHER)
    }


def test_only_the_asked_for_assignments_are_graded(course: Course) -> None:
    hand_in(course, "ann")
    hand_in(course, "ann", lesson=OTHER)
    rows = grade_course(course, judge, assignments=[OTHER])
    assert [row.lesson for row in rows] == [OTHER]


def test_nothing_handed_in_makes_no_rows(course: Course) -> None:
    assert grade_course(course, judge) == []


def test_flags_of_the_judge_reach_row_and_gradebook_and_the_score_stays(course: Course) -> None:
    def suspicious(path: Path, lesson: Lesson) -> Verdict:
        made = verdict(lesson, "right")
        return Verdict(made.lesson, made.submission, made.checks, flag="it replaced *backward* <b>")

    hand_in(course, "ann")
    (row,) = grade_course(course, suspicious)
    assert (row.points, row.flag) == (10.0, "it replaced *backward* <b>")
    assert scores(course, "ann") == CHECKS
    assert [waits for _, waits in recorded(course, "ann").values()].count(True) == 1
    assert comment(course, "ann") == "For review: it replaced \\*backward\\* &lt;b&gt;."


def test_exported_grades_quote_names_and_say_who_waits_for_a_person(course: Course) -> None:
    hand_in(course, "Doe, Jane", notebook(HALF))
    hand_in(course, "zed", b"")
    grade_course(course, judge)
    with export(course).open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["assignment"] == LESSON]
    assert [
        (row["student_id"], row["score"], row["max_score"], row["needs_manual_grade"]) for row in rows
    ] == [
        ("Doe, Jane", "9.0", "10.0", "False"),
        ("zed", "0.0", "10.0", "True"),
    ]


def test_students_with_glob_characters_in_their_names_are_graded(course: Course) -> None:
    for student in ("a[1]", "b*", "c?d", "é ü"):
        hand_in(course, student)
    rows = grade_course(course, judge)
    assert [row.points for row in rows] == [10.0] * 4
    assert [row.flag for row in rows] == [""] * 4


def test_an_instructors_own_assignment_is_left_to_nbgrader(course: Course) -> None:
    quiz = course.source("quiz", "quiz")
    quiz.parent.mkdir()
    quiz.write_text(
        json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8"
    )
    hand_in(course, "ann", quiz.read_bytes(), "quiz.ipynb", "quiz")
    assert grade_course(course, judge) == []
