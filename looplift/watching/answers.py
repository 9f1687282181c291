"""What the watch's keys show, and what it says about where the student is."""

from __future__ import annotations

from rich.console import Console

from looplift.desk import Desk, next_up, put_back, standings
from looplift.desk.text import about, near, print_hint, sum_of
from looplift.desk.text import tell as say
from looplift.desk.unfolding import unfold
from looplift.lesson import Lesson


def greeting(desk: Desk, lesson: Lesson) -> tuple[str, str]:
    """Which lesson it is, and what is watched."""
    it = next(it for it in standings(desk) if it.lesson.name == lesson.name)
    return about(it), f"Watching {near(desk.place(lesson))}: every save of the exercise is checked."


def print_next_hint(desk: Desk, lesson: Lesson, console: Console) -> None:
    """One level more; when all were shown, the last one again."""
    shown = unfold(desk, lesson)
    if shown.hint is None:
        shown = unfold(desk, lesson, again=True)
    if shown.hint is not None:
        print_hint(shown.hint, lesson, console)
    say(console, shown.sentence)


def print_diff(lesson: Lesson, console: Console) -> None:
    """The lesson's own two programs, side by side."""
    from looplift.diff import diff_lesson
    from looplift.diff.terminal import show

    show(diff_lesson(lesson), console)


def reset(desk: Desk, lesson: Lesson) -> str:
    """Put the exercise back; what was done."""
    backup = put_back(desk, lesson)
    kept = f" What you had is kept in {near(backup)}." if backup else ""
    return f"The exercise is as it was given.{kept} Is it open in Jupyter? Reload it from disk there."


def well_done(desk: Desk, lesson: Lesson) -> str:
    """What is said when a lesson has passed."""
    up = next_up(standings(desk), after=lesson)
    first = f"Done. Press n for {about(up)}." if up else nothing_left(desk)
    return f"{first} The model solution: looplift solution {lesson.number}."


def nothing_left(desk: Desk) -> str:
    """What is said when there is no other lesson to go on to."""
    every = standings(desk)
    which = "Every lesson is done" if next_up(every) is None else "This is the last lesson that is left"
    return f"{which}: {sum_of(every)}."
