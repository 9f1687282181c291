"""Hints come one level at a time: which one is shown now, and what is said with it."""

from __future__ import annotations

from dataclasses import dataclass

from looplift.desk.desk import Desk
from looplift.desk.hints import Hint, hints_of
from looplift.lesson import Lesson


@dataclass(frozen=True)
class Unfolded:
    """A hint to show, None when there is none to show; and a sentence on how to go on."""

    hint: Hint | None
    sentence: str


def unfold(desk: Desk, lesson: Lesson, again: bool = False) -> Unfolded:
    """The next level, noted as shown; with `again` the last one that was. Raises OSError, LessonError."""
    hints = hints_of(lesson)
    seen = min(desk.note(lesson).hints, len(hints))
    if not hints:
        return Unfolded(None, f"{lesson.number} {lesson.slug} has no hints.")
    if again and seen == 0:
        return Unfolded(None, f"You have seen no hint of {lesson.number} {lesson.slug} yet.")
    if again:
        return Unfolded(hints[seen - 1], _left(seen, len(hints)))
    if seen == len(hints):
        return Unfolded(
            None,
            f"You have seen all {seen} hints of {lesson.number} {lesson.slug}. The last once more: looplift hint "
            f"{lesson.number} --again. The solution: looplift solution {lesson.number} --give-up",
        )
    desk.change(lesson, hints=seen + 1)
    return Unfolded(hints[seen], _left(seen + 1, len(hints)))


def _left(seen: int, of: int) -> str:
    left = of - seen
    return f"{left} more to come." if left else "That was the last one."
