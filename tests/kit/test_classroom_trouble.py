"""When the judge, nbgrader or the gradebook fails: one student waits for a person, the run goes on."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from classroom_cases import (
    CHECKS,
    HALF,
    LESSON,
    WRONG,
    Counted,
    comment,
    hand_in,
    judge,
    notebook,
    recorded,
    released_course,
    scores,
    verdict,
)

from looplift.classroom import Course, CourseError, grade_course, make_course
from looplift.classroom import recording as recording_module
from looplift.classroom.session import locked
from looplift.fault import KitError
from looplift.lesson import Lesson, find_lesson
from looplift.verdict import Verdict

UNRELEASED = "03_honest_metrics"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return released_course(tmp_path)


def falls_over_halves(path: Path, lesson: Lesson) -> Verdict:
    if "half" in path.read_text(encoding="utf-8"):
        raise ZeroDivisionError("the judge's own fault")
    return judge(path, lesson)


def test_a_judge_that_breaks_costs_no_one_a_point(course: Course) -> None:
    hand_in(course, "ann")
    hand_in(course, "bob", notebook(HALF))
    hand_in(course, "cy")
    ann, bob, cy = grade_course(course, falls_over_halves)
    assert (ann.points, cy.points) == (10.0, 10.0)
    assert bob.flag == "it could not be judged: ZeroDivisionError: the judge's own fault"
    assert recorded(course, "bob") == {f"check-{name}": (None, True) for name in CHECKS}
    assert "could not be judged" in comment(course, "bob")


def test_what_could_not_be_judged_is_tried_again_and_then_waits_no_longer(course: Course) -> None:
    hand_in(course, "bob", notebook(HALF))
    grade_course(course, falls_over_halves)
    (row,) = grade_course(course, judge)
    assert (row.points, row.flag) == (9.0, "")
    assert recorded(course, "bob")["check-backward"] == (1.0, False)
    assert comment(course, "bob") == ""


def test_the_kits_own_error_is_told_in_its_words(course: Course) -> None:
    def broken(path: Path, lesson: Lesson) -> Verdict:
        raise KitError("the machine has no memory left: close something")

    hand_in(course, "ann")
    (row,) = grade_course(course, broken)
    assert row.flag == "it could not be judged: the machine has no memory left: close something"


def test_a_verdict_without_checks_is_no_zero(course: Course) -> None:
    hand_in(course, "ann")
    (row,) = grade_course(course, lambda path, lesson: Verdict(lesson.name, path.name, (), flag="no code"))
    assert row.flag == "it could not be judged: no code"
    assert set(scores(course, "ann").values()) == {None}


def test_a_check_that_the_verdict_lacks_waits_for_a_person_and_the_others_count(course: Course) -> None:
    def short(path: Path, lesson: Lesson) -> Verdict:
        whole = verdict(lesson, "right")
        return Verdict(whole.lesson, whole.submission, whole.checks[1:])

    hand_in(course, "ann")
    (row,) = grade_course(course, short)
    assert row.points == 9.0
    assert row.flag == "no graded test belongs to check-one_accelerator"
    assert recorded(course, "ann")["check-one_accelerator"] == (None, True)
    assert recorded(course, "ann")["check-backward"] == (2.0, False)


def test_a_conversion_that_fails_leaves_the_points_in_the_gradebook(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(self: object) -> None:
        if self.handin.student == "bob":  # type: ignore[attr-defined]
            raise OSError("No space left on device")
        real(self)

    real = recording_module.AutogradeOne.start
    monkeypatch.setattr(recording_module.AutogradeOne, "start", start)
    for student in ("ann", "bob", "cy"):
        hand_in(course, student, notebook(HALF))
    ann, bob, cy = grade_course(course, judge)
    assert (ann.flag, cy.flag) == ("", "")
    assert "No space left on device" in bob.flag
    assert bob.points == 9.0
    assert bob.feedback_path is None
    assert scores(course, "bob") == CHECKS | {"backward": 1.0}
    assert {waits for _, waits in recorded(course, "bob").values()} == {True}
    monkeypatch.undo()
    assert grade_course(course, judge)[1].flag == ""
    assert recorded(course, "bob")["check-backward"] == (1.0, False)


def test_a_gradebook_that_another_program_holds_is_one_sentence(course: Course) -> None:
    hand_in(course, "ann")
    holder = sqlite3.connect(course.folder / "gradebook.db")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(CourseError, match="database is locked.*try again"):
            grade_course(course, judge)
    finally:
        holder.close()
    assert grade_course(course, judge)[0].points == 10.0


def test_an_assignment_that_was_never_released_and_one_that_is_not_there_get_rows(course: Course) -> None:
    make_course(course.folder, [find_lesson(UNRELEASED)])
    hand_in(course, "ann", b"", lesson=UNRELEASED)
    hand_in(course, "bob", b"", lesson="01_first_lop")
    hand_in(course, "cy")
    ann, bob, cy = grade_course(course, judge)
    assert cy.points == 10.0
    assert f"run `nbgrader generate_assignment {UNRELEASED}`" in ann.flag
    assert bob.flag == "there is no assignment called 01_first_lop: give the folder the right name"


def test_a_time_stamp_that_says_nothing_loses_no_one(course: Course) -> None:
    path = hand_in(course, "ann")
    (path.parent / "timestamp.txt").write_bytes(b"\xff yesterday")
    assert grade_course(course, judge)[0].points == 10.0
    assert grade_course(course, judge, force=True)[0].flag == ""
    assert scores(course, "ann") == CHECKS


def test_late_submissions_keep_their_time(course: Course) -> None:
    path = hand_in(course, "ann")
    (path.parent / "timestamp.txt").write_text("2031-02-03 04:05:06 UTC", encoding="utf-8")
    grade_course(course, judge)
    copied = course.folder / "autograded" / "ann" / LESSON / "timestamp.txt"
    assert copied.read_text(encoding="utf-8") == "2031-02-03 04:05:06 UTC"


def test_files_that_cannot_be_copied_stand_in_no_ones_way(course: Course) -> None:
    folder = hand_in(course, "ann").parent
    (folder / "gone").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "pipe")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    (row,) = grade_course(course, judge)
    assert (row.points, row.flag) == (10.0, "")
    assert (course.folder / "autograded" / "ann" / LESSON / "notes.txt").is_file()


def test_a_half_written_verdict_is_made_again(course: Course) -> None:
    counted = Counted()
    hand_in(course, "ann", notebook(WRONG))
    grade_course(course, counted)
    (kept,) = course.verdicts.iterdir()
    kept.write_text(kept.read_text(encoding="utf-8")[:40], encoding="utf-8")
    grade_course(course, counted)
    assert counted.asked == 2


def test_a_second_run_waits_for_the_gradebook(course: Course) -> None:
    hand_in(course, "ann")
    program = (
        "import sys; from pathlib import Path; from looplift.classroom import grade_course, open_course;"
        "sys.path.insert(0, sys.argv[2]); from classroom_cases import judge;"
        "grade_course(open_course(Path(sys.argv[1])), judge)"
    )
    command = [sys.executable, "-c", program, str(course.folder), str(Path(__file__).parent)]
    with locked(course):
        other = subprocess.Popen(command)
        until = time.monotonic() + 60
        while not any(course.verdicts.iterdir()):
            assert other.poll() is None and time.monotonic() < until
            time.sleep(0.05)
        time.sleep(0.3)
        assert not (course.folder / "autograded").exists()
    assert other.wait(60) == 0
    assert scores(course, "ann") == CHECKS
