"""Grading in two stages: which verdicts are made again, what is recorded again, and what the screen shows of it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from classroom_cases import HALF, LESSON, WRONG, Counted, hand_in, judge, notebook, released_course, scores
from rich.console import Console

from looplift.classroom import Course, Event, feedback, grade_course
from looplift.classroom.verdicts import key, one_by_one
from looplift.classroom.warmth import lessons_to_expect
from looplift.commands.progress import Shown
from looplift.fault import KitError
from looplift.lesson import find_lesson
from looplift.pool import Job, Tell
from looplift.verdict import Verdict


@pytest.fixture
def course(tmp_path: Path) -> Course:
    made = released_course(tmp_path)
    for student, answer in (("ann", None), ("bob", HALF), ("cy", WRONG)):
        hand_in(made, student, notebook(answer) if answer else None)
    return made


def outcomes(events: list[Event], stage: str) -> list[str]:
    return [it.text for it in events if it.stage == stage]


def test_again_judges_again_and_records_nothing_that_stands_there(course: Course) -> None:
    counted, events = Counted(), list[Event]()
    grade_course(course, counted)
    grade_course(course, counted, events.append, again=True)
    assert counted.asked == 6
    assert outcomes(events, "record") == ["recorded before"] * 3


def test_force_records_again_and_judges_nothing(course: Course) -> None:
    counted, events = Counted(), list[Event]()
    grade_course(course, counted)
    grade_course(course, counted, events.append, force=True)
    assert counted.asked == 3
    assert outcomes(events, "record") == ["recorded"] * 3


def test_verdicts_may_come_in_any_order_and_twice(course: Course) -> None:
    """As from a cluster, where a worker that was given up may still answer."""

    def backwards(jobs: Iterable[Job], tell: Tell) -> Iterator[tuple[Job, Verdict | KitError]]:
        made = list(one_by_one(judge)(jobs, tell))
        yield from reversed(made)
        yield made[0]

    rows = grade_course(course, judges=backwards)
    assert [(row.student, row.points) for row in rows] == [("ann", 10.0), ("bob", 9.0), ("cy", 0.0)]
    assert scores(course, "bob")["backward"] == 1.0


def test_a_judge_is_given_sizes_and_never_the_secret(course: Course) -> None:
    seen: list[bytes] = []

    def watched(jobs: Iterable[Job], tell: Tell) -> Iterator[tuple[Job, Verdict | KitError]]:
        for job, made in one_by_one(judge)(jobs, tell):
            seen.append(job.to_bytes())
            yield job, made

    grade_course(course, judges=watched)
    assert len(seen) == 3
    assert not any(course.secret.encode() in it for it in seen)


def test_jobs_are_read_when_they_are_asked_for_so_that_a_class_need_not_fit_into_memory(
    course: Course,
) -> None:
    steps: list[str] = []

    def slow(jobs: Iterable[Job], tell: Tell) -> Iterator[tuple[Job, Verdict | KitError]]:
        for job in jobs:
            steps.append("read")
            yield from one_by_one(judge)([job], tell)
            steps.append("kept")

    grade_course(course, judges=slow)
    assert steps == ["read", "kept"] * 3


def test_a_verdict_is_named_by_submission_tests_exercise_and_secret(course: Course, tmp_path: Path) -> None:
    from dataclasses import replace

    lesson = find_lesson(LESSON)
    names = {key(course, lesson, b"a"), key(course, lesson, b"b")}
    other_tests = tmp_path / "tests.py"
    other_tests.write_text("# other tests")
    names.add(key(course, replace(lesson, graded=other_tests), b"a"))
    names.add(key(course, replace(lesson, folder=tmp_path), b"a"))
    course.secret_file.write_text("another")
    names.add(key(course, lesson, b"a"))
    assert len(names) == 5


def test_what_is_changed_while_it_is_judged_is_not_given_the_points_of_the_old_one(course: Course) -> None:
    def changing(path: Path, lesson: object) -> Verdict:
        hand_in(course, "ann", notebook(WRONG + "# at the last minute\n"))
        return judge(path, find_lesson(LESSON))

    rows = grade_course(course, changing, assignments=[LESSON])
    assert rows[0].flag == "it was changed while it was judged: run this again"
    assert grade_course(course, judge)[0].points == 0.0
    assert scores(course, "ann")["prepared"] == 0.0


def test_lessons_are_made_ready_only_when_something_new_was_handed_in(course: Course) -> None:
    assert lessons_to_expect(course) == [LESSON]
    grade_course(course, judge)
    assert lessons_to_expect(course) == []
    hand_in(course, "dee")
    assert lessons_to_expect(course) == [LESSON]


def test_pages_are_made_again_only_when_they_would_say_something_else(course: Course) -> None:
    from nbgrader.api import Gradebook

    grade_course(course, judge)
    events: list[Event] = []
    feedback(course, events.append)
    feedback(course, events.append)
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("check-backward", "exercise", LESSON, "bob").manual_score = 2.0
        gradebook.db.commit()
    page = course.folder / "feedback" / "cy" / LESSON / "exercise.html"
    page.chmod(0o644)
    page.write_text("spoilt")
    feedback(course, events.append)
    known = [sorted((it.student, it.known) for it in events[n : n + 3]) for n in (0, 3, 6)]
    assert known[0] == [("ann", False), ("bob", False), ("cy", False)]
    assert known[1] == [("ann", True), ("bob", True), ("cy", True)]
    assert known[2] == [("ann", True), ("bob", False), ("cy", False)]
    assert "Score: 10.0 / 10.0" in (page.parents[2] / "bob" / LESSON / "exercise.html").read_text()
    assert "spoilt" not in page.read_text()


def run_of(shown: Shown) -> None:
    """A run over three: one known, one new that fails, one that a person must see."""
    with shown:
        shown(Event("judge", 1, 3, "ann", LESSON, "everything passed", "passed", known=True))
        shown(Event("run", 0, 0, "bob", LESSON, "training_loop on 2 processes"))
        shown(Event("judge", 2, 3, "bob", LESSON, "the loader was not prepared", "mend"))
        shown(Event("run", 0, 0, "c\x1b[2Jy", LESSON, "training_loop on 1 process"))
        shown(Event("judge", 3, 3, "c\x1b[2Jy", LESSON, "everything passed", "flagged"))


def test_lines_where_there_is_no_terminal_tell_what_is_new_and_count_the_rest() -> None:
    out = io.StringIO()
    run_of(Shown(Console(file=out, force_terminal=False, width=200)))
    assert out.getvalue().splitlines() == [
        f"judging 2/3 bob {LESSON}: the loader was not prepared",
        f"judging 3/3 c\\x1b[2Jy {LESSON}: everything passed",
        "judging 3/3: 1 as before",
        "judging 3/3: 1 passed, 1 something to mend, 1 for a person to look at",
    ]


def test_a_terminal_shows_how_far_it_is_who_is_at_it_and_the_counts() -> None:
    out = io.StringIO()
    shown = Shown(Console(file=out, force_terminal=True, width=120, color_system=None))
    shown(Event("judge", 1, 3, "ann", LESSON, "everything passed", "passed"))
    shown(Event("run", 0, 0, "bob", LESSON, "training_loop on 2 processes"))
    shown(Event("run", 0, 0, "c\x1b[2Jy", LESSON, "training_loop on 1 process"))
    screen = Console(file=out, width=120)
    for line in shown._bars.get_renderables():
        screen.print(line)
    bars, counts, now = out.getvalue().splitlines()[-3:]
    assert bars.startswith("judging") and " 1/3 " in bars
    assert counts == "1 passed"
    assert (
        now
        == f"now: bob {LESSON} (training_loop on 2 processes), c\\x1b[2Jy {LESSON} (training_loop on 1 process)"
    )
    run_of(shown)
    assert "2 passed, 1 something to mend, 1 for a person to look at" in out.getvalue()


def test_verdicts_are_whole_or_not_there(course: Course) -> None:
    grade_course(course, judge)
    kept = sorted(it.name for it in course.verdicts.iterdir())
    assert len(kept) == 3
    assert all(json.loads((course.verdicts / it).read_text())["lesson"] == LESSON for it in kept)
