"""The watch itself: saves, keys and verdicts come in, screens go out. It never moves on by itself."""

from __future__ import annotations

import select
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from looplift.desk import Desk, next_up, standings
from looplift.desk.desk import WORK
from looplift.desk.text import near, print_list
from looplift.fault import KitError
from looplift.lesson import Lesson, LessonError
from looplift.verdict import Verdict
from looplift.watching import answers
from looplift.watching.changes import changes
from looplift.watching.keys import Keys
from looplift.watching.saves import Saves
from looplift.watching.screen import Screen
from looplift.watching.warm import WarmJudge

_TURN = 1.0  # seconds after which to look, even when nothing came, whether the warm process is still there


@dataclass(frozen=True)
class _Asked:
    """The check that is going on."""

    lesson: Lesson
    path: Path
    counts: bool = True  # False when the exercise was put back meanwhile


class Watch:
    """One session. `run` returns when the student quits."""

    def __init__(
        self, desk: Desk, lesson: Lesson, screen: Screen, keys: Keys, judge: WarmJudge, poll: bool = False
    ) -> None:
        self._desk = replace(desk, tell=lambda sentence: screen.say(f"looplift: {sentence}"))
        self._screen = screen
        self._keys = keys
        self._poll = poll
        self._judge = judge
        self._asked: _Asked | None = None
        self._again = False  # a save came while a check was going on
        self._last: dict[str, Verdict] = {}
        self._count = 0  # of the checks of this lesson
        self._sure = False  # `r` was pressed once
        self._greeted = False
        self._over = False
        self._lesson = lesson
        self._saves = self._watched(lesson)
        self._on: dict[str, Callable[[], None]] = {
            "n": self._next,
            "h": self._hint,
            "d": self._diff,
            "r": self._reset,
            "l": self._list,
            "q": self._quit,
        }

    def run(self) -> None:
        """Watch until `q`. Whatever ends it, an interrupt too, nothing that was started is left."""
        try:
            self._greet()
            self._check()
            while not self._over:
                self._turn()
        finally:
            self._screen.end()
            self._saves.close()
            self._judge.close()

    def _turn(self) -> None:
        """Wait for something to happen, and deal with it."""
        waiting = {
            self._keys.fileno(): self._pressed,
            self._saves.fileno(): self._saved,
            self._judge.fileno(): self._heard,
        }
        ready, _, _ = select.select([it for it in waiting if it is not None], [], [], _TURN)
        # One thing a turn: after it, another file may be what is watched. When nothing came, the warm process may
        # have been killed while something that it started keeps its pipe open.
        (waiting[ready[0]] if ready else self._heard)()

    def _watched(self, lesson: Lesson) -> Saves:
        folder = self._desk.place(lesson)
        if not folder.is_dir():
            raise LessonError(f"{lesson.name} is not in {self._desk.folder}: `looplift start` puts it there.")
        return Saves(folder, WORK, self._poll)

    # Saves and verdicts

    def _saved(self) -> None:
        self._saves.take()
        self._check()

    def _check(self) -> None:
        """Ask for a check; a save during one is one more check afterwards, however many saves there were."""
        if self._asked is not None:
            self._again = True
            return
        try:
            path = self._desk.work(self._lesson)
        except LessonError as error:
            self._tell(str(error))
            return
        self._asked = _Asked(self._lesson, path)
        self._judge.ask(self._lesson, path)
        self._screen.going_on(f"checking {near(path)} ...")

    def _heard(self) -> None:
        for said in self._judge.hear():
            if said.running and self._asked is not None:
                self._screen.going_on(f"checking {near(self._asked.path)}: {said.running} ...")
            elif said.verdict is not None:
                self._judged(said.verdict)
            elif said.failed:
                self._failed(said.failed)

    def _judged(self, verdict: Verdict) -> None:
        asked, self._asked = self._asked, None
        if asked is None:
            return
        trouble = self._record(asked.lesson, verdict) if asked.counts else ""
        before = self._last.get(verdict.lesson)
        self._last[verdict.lesson] = verdict
        if asked.lesson.name == self._lesson.name:
            self._count += 1
            compared = changes(before, verdict) if before is not None else None
            self._screen.verdict(verdict, self._count, compared)
            if trouble:
                self._screen.say(trouble)
            if verdict.passed and not verdict.flag:
                self._screen.say()
                self._screen.say(answers.well_done(self._desk, self._lesson), "bold green")
            self._prompt()
        self._check_again()

    def _record(self, lesson: Lesson, verdict: Verdict) -> str:
        """Note the outcome; a sentence when that could not be done."""
        try:
            self._desk.record(lesson, verdict)
        except (OSError, LessonError) as error:
            return f"This could not be noted down: {error}"
        return ""

    def _failed(self, why: str) -> None:
        self._asked = None
        self._tell(f"This could not be checked: {why}")
        self._check_again()

    def _check_again(self) -> None:
        if self._again:
            self._again = False
            self._check()

    # Keys

    def _pressed(self) -> None:
        for key in self._keys.read():
            if key != "r":
                self._sure = False
            if key in self._on and not self._over:
                try:
                    self._on[key]()
                except (LessonError, KitError, OSError) as error:
                    self._tell(f"looplift: {error}")

    def _next(self) -> None:
        up = next_up(standings(self._desk), after=self._lesson)
        if up is None:
            self._tell(answers.nothing_left(self._desk))
            return
        saves = self._watched(up.lesson)
        self._saves.close()
        self._lesson, self._saves, self._count = up.lesson, saves, 0
        self._screen.clear()
        self._greet()
        self._check()

    def _hint(self) -> None:
        self._answer(lambda: answers.print_next_hint(self._desk, self._lesson, self._screen.console))

    def _diff(self) -> None:
        self._answer(lambda: answers.print_diff(self._lesson, self._screen.console))

    def _reset(self) -> None:
        if not self._sure:
            self._sure = True
            self._tell("Press r once more to put the exercise back; yours is kept beside it.")
            return
        self._sure = False
        said = answers.reset(self._desk, self._lesson)
        if self._asked is not None and self._asked.lesson.name == self._lesson.name:
            self._asked = replace(self._asked, counts=False)
        self._tell(said)

    def _list(self) -> None:
        self._answer(lambda: print_list(standings(self._desk), self._screen.console, self._lesson))

    def _quit(self) -> None:
        self._over = True

    # What is said

    def _greet(self) -> None:
        title, watched = answers.greeting(self._desk, self._lesson)
        self._screen.say(title, "bold")
        self._screen.say(watched)
        if self._keys.single or not self._greeted:
            self._screen.keys(self._keys.single)
        self._greeted = True

    def _answer(self, show: Callable[[], None]) -> None:
        """Show something below what is there, and the keys again."""
        self._screen.say()
        show()
        self._prompt()

    def _tell(self, sentence: str) -> None:
        self._answer(lambda: self._screen.say(sentence))

    def _prompt(self) -> None:
        if self._keys.single:
            self._screen.keys(single=True)
        if self._asked is not None:
            self._screen.going_on(f"checking {near(self._asked.path)} ...")
        else:
            self._screen.going_on("waiting for the next save")
