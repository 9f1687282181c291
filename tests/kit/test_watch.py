"""The watch: what saves, keys and verdicts do. The judge is a stand-in here; test_watch_screens.py has the real one."""

from __future__ import annotations

import io
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from looplift.desk import Desk, start
from looplift.lesson import Lesson, find_lesson, lessons
from looplift.verdict import CheckResult, Finding, Place, Verdict
from looplift.watching import Watch
from looplift.watching.changes import Change, changes
from looplift.watching.keys import Keys
from looplift.watching.screen import Screen
from looplift.watching.warm import Said, WarmJudge

PATIENCE = 60.0


def verdict(lesson: Lesson, passed: bool) -> Verdict:
    finding = None if passed else Finding("unprepared-loader", "the loader was not prepared")
    check = CheckResult(
        "prepared", "things are prepared", 10, 10 * passed, "pass" if passed else "mend", finding
    )
    return Verdict(lesson.name, "exercise.ipynb", (check,))


class Judge(WarmJudge):
    """Answers when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.closed = False
        self._says: list[Said] = []
        self._reading, self._writing = os.pipe()

    def ask(self, lesson: Lesson, path: Path) -> None:
        self.asked.append(f"{lesson.name}/{path.name}")

    def fileno(self) -> int:
        return self._reading

    def hear(self) -> list[Said]:
        says, self._says = self._says, []
        if says:
            os.read(self._reading, 1)
        return says

    def say(self, said: Said) -> None:
        self._says.append(said)
        os.write(self._writing, b".")

    def close(self) -> None:
        self.closed = True


class Session:
    """A watch in a thread of its own, with a pipe for its keys."""

    def __init__(self, desk: Desk, lesson: Lesson) -> None:
        self.desk = desk
        self.judge = Judge()
        self._file = io.StringIO()
        reading, self._keyboard = os.pipe()
        screen = Screen(Console(file=self._file, width=90, color_system=None))
        watch = Watch(desk, lesson, screen, Keys(reading), self.judge)
        self.thread = threading.Thread(target=watch.run, daemon=True)
        self.thread.start()

    @property
    def text(self) -> str:
        return self._file.getvalue()

    def press(self, keys: str) -> None:
        os.write(self._keyboard, "".join(f"{it}\n" for it in keys).encode())

    def save(self, lesson: Lesson, text: str) -> None:
        (self.desk.place(lesson) / "exercise.py").write_text(text)

    def quit(self) -> None:
        self.press("q")
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive() and self.judge.closed

    def until(self, happened: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end, self.text
            time.sleep(0.01)

    def shows(self, words: str) -> None:
        self.until(lambda: words in self.text)


FIRST, SECOND = find_lesson("01"), find_lesson("02")
EVERY = len(lessons())


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    session = Session(start(tmp_path / "course").desk, FIRST)
    session.until(lambda: session.judge.asked)
    yield session
    session.quit()


def test_the_exercise_is_checked_at_the_start_and_at_every_save(session):
    assert session.judge.asked == ["01_first_loop/exercise.ipynb"]
    session.judge.say(Said(running="training_loop"))
    session.judge.say(Said(verdict=verdict(FIRST, False)))
    session.shows("0 of 10 points")
    os.utime(session.desk.place(FIRST) / "exercise.ipynb", (1, 1))
    session.until(lambda: len(session.judge.asked) == 2)
    session.judge.say(Said(verdict=verdict(FIRST, True)))
    session.shows("Check 2: since the one before\n  now passes  things are prepared\n")
    session.shows("Done. Press n for 02 warmup_schedule")
    assert session.desk.note(FIRST).passed
    assert session.judge.asked == ["01_first_loop/exercise.ipynb"] * 2  # it has not moved on by itself


def test_saves_during_a_check_are_one_more_check_afterwards(session):
    for number in range(5):
        session.save(FIRST, f"x = {number}\n")
        time.sleep(0.05)
    session.press("l")
    session.shows(f"0 of {EVERY} lessons done")
    assert len(session.judge.asked) == 1
    time.sleep(0.8)  # so that the last save was certainly seen
    session.judge.say(Said(verdict=verdict(FIRST, False)))
    session.until(lambda: len(session.judge.asked) == 2)
    session.judge.say(Said(verdict=verdict(FIRST, False)))
    session.shows("Check 2: nothing changed")
    assert len(session.judge.asked) == 2


def test_next_goes_to_the_lesson_behind_and_what_was_going_on_is_still_noted(session):
    session.press("n")
    session.shows("02 warmup_schedule, A learning rate that warms up")
    session.judge.say(Said(verdict=verdict(FIRST, True)))
    session.until(lambda: len(session.judge.asked) == 2)
    assert session.judge.asked[1] == "02_warmup_schedule/exercise.ipynb"
    assert session.desk.note(FIRST).passed and "10 of 10" not in session.text
    session.judge.say(Said(verdict=verdict(SECOND, False)))
    session.shows("0 of 10 points")
    session.save(SECOND, "x = 1\n")
    session.until(lambda: len(session.judge.asked) == 3)


def test_next_says_when_nothing_is_left(session):
    for lesson in lessons():
        session.desk.change(lesson, passed=lesson != FIRST)
    session.press("n")
    session.shows(f"This is the last lesson that is left: {EVERY - 1} of {EVERY} lessons done")
    session.desk.change(FIRST, passed=True)
    session.press("n")
    session.shows(f"Every lesson is done: {EVERY} of {EVERY} lessons done")


def test_hint_and_diff_and_list_show_what_the_commands_show(session):
    session.press("hhhh")
    session.shows("That was the last one.\n\n01 first_loop, hint 3 of 3")
    assert [session.text.count(f"hint {level} of 3") for level in (1, 2, 3)] == [1, 1, 2]
    session.press("d")
    session.shows("accelerator.backward(loss)")
    session.press("L")
    session.until(
        lambda: "> 01_first_loop begun 0 of 10 30 Your first loop" in " ".join(session.text.split())
    )


def test_reset_wants_to_be_pressed_twice_and_a_verdict_on_what_was_there_does_not_count(session):
    exercise = session.desk.place(FIRST) / "exercise.ipynb"
    exercise.write_text("{}")
    session.press("rlr")
    session.until(lambda: session.text.count("Press r once more") == 2)
    assert exercise.read_text() == "{}"
    session.press("r")
    session.shows("What you had is kept in")
    assert exercise.read_bytes() == FIRST.exercise.read_bytes()
    session.judge.say(Said(verdict=verdict(FIRST, True)))
    session.until(lambda: len(session.judge.asked) == 2)
    assert not session.desk.note(FIRST).passed


def test_a_check_that_failed_is_told_and_the_next_save_is_checked(session):
    session.judge.say(Said(failed="the disk is full"))
    session.shows("This could not be checked: the disk is full")
    session.save(FIRST, "x = 1\n")
    session.until(lambda: len(session.judge.asked) == 2)


def test_a_key_that_cannot_be_served_says_why_and_the_watch_goes_on(session):
    notes = session.desk.folder / ".looplift.json"
    notes.write_text('{"format": 99, "kit": "9.0"}')
    session.press("h")
    session.shows("written by a newer looplift (9.0)")
    notes.write_text("{")
    session.press("h")
    session.shows("hint 1 of 3")
    assert "They are set aside" in session.text


def test_a_lesson_that_is_not_on_the_desk_is_named(tmp_path):
    desk = start(tmp_path / "course").desk
    other = replace(FIRST, name="99_other")
    with pytest.raises(Exception, match="99_other is not in .*: `looplift start` puts it there"):
        Watch(desk, other, Screen(Console(file=io.StringIO())), Keys(None), Judge())


def heard(judge: WarmJudge, words: str) -> Said:
    """Wait until the judge says something with these words."""
    end = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < end
        for said in judge.hear():
            if words in said.running + said.failed:
                return said
        time.sleep(0.01)


def test_a_killed_judge_is_told_and_started_again(tmp_path):
    """The real process, killed before it has imported anything."""
    judge = WarmJudge()
    judge.ask(FIRST, tmp_path / "missing.ipynb")
    assert judge._process is not None
    judge._process.kill()
    said = heard(judge, "the checking process ended")
    assert said.failed == "the checking process ended (code -9). Save again to start it anew."
    assert judge.fileno() is None
    judge.ask(FIRST, tmp_path / "missing.ipynb")
    assert judge.fileno() is not None
    judge.close()
    judge.close()
    assert judge.fileno() is None


def test_a_file_of_the_student_never_takes_the_place_of_a_module(tmp_path, monkeypatch):
    for name in ("random.py", "json.py", "torch.py"):
        (tmp_path / name).write_text("raise SystemExit('mine')")
    monkeypatch.chdir(tmp_path)
    judge = WarmJudge()
    judge.ask(FIRST, tmp_path / "missing.ipynb")
    assert heard(judge, "").running == "importing torch and accelerate, once"
    judge.close()


# What changed


def result(status: str, saw: str = "", line: int = 1) -> Verdict:
    finding = Finding("x", saw, where=Place("exercise.py", line)) if status == "mend" else None
    return Verdict("01_first_loop", "exercise.py", (CheckResult("a", "title", 1, 0, status, finding),))


CHANGES = [
    (result("mend", "one"), result("pass"), [Change("now passes", "title")]),
    (result("follows"), result("pass"), [Change("now passes", "title")]),
    (result("pass"), result("mend", "one"), [Change("now fails", "title")]),
    (result("pass"), result("follows"), [Change("now fails", "title")]),
    (result("mend", "one"), result("mend", "two"), [Change("now says", "title: two")]),
    (result("follows"), result("mend", "two"), [Change("now says", "title: two")]),
    (result("mend", "one", 1), result("mend", "one", 9), []),
    (result("mend", "one"), result("follows"), []),
    (result("pass"), result("pass"), []),
    (Verdict("01_first_loop", "x", ()), result("pass"), []),
]


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES)
def test_what_changed_is_said(before, after, expected):
    assert changes(before, after) == expected
