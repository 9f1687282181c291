"""Where a student stands: each lesson with its note, and which one is next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from looplift.desk.desk import Desk, DeskError
from looplift.desk.notes import Note
from looplift.lesson import Lesson, find_lesson, lessons


@dataclass(frozen=True)
class Standing:
    """A lesson and how far it is. possible: its points, also before the first check."""

    lesson: Lesson
    note: Note
    possible: float

    @property
    def word(self) -> str:
        """`done`, `begun`, or "" for a lesson that was not touched yet."""
        if self.note.passed:
            return "done"
        return "begun" if self.note.checked or self.note.hints or self.note.gave_up else ""

    @property
    def minutes(self) -> int:
        return int(self.lesson.about.get("minutes", 0))

    def as_data(self) -> dict[str, Any]:
        """For JSON: the note, with what the lesson says of itself."""
        about = {key: self.lesson.about.get(key) for key in ("title", "minutes", "difficulty")}
        note = asdict(self.note) | {"possible": self.possible}
        return {"lesson": self.lesson.name, **about, **note}


def standings(desk: Desk) -> list[Standing]:
    """Every lesson of the course, in its order."""
    notes = desk.notes()
    return [_standing(it, notes.get(it.name, Note())) for it in lessons()]


def _standing(lesson: Lesson, note: Note) -> Standing:
    marks = (cell.get("metadata", {}).get("nbgrader", {}) for cell in lesson.notebook["cells"])
    graded = sum(float(it.get("points", 0)) for it in marks if it.get("grade"))
    return Standing(lesson, note, note.possible or graded)


def next_up(every: Sequence[Standing], after: Lesson | None = None) -> Standing | None:
    """The first lesson that is not done; with `after` the first one behind it, then from the top, without itself."""
    names = [it.lesson.name for it in every]
    if after is not None and after.name in names:
        at = names.index(after.name)
        every = [*every[at + 1 :], *every[:at]]
    return next((it for it in every if not it.note.passed), None)


def lesson_meant(desk: Desk, word: str | None) -> Lesson:
    """The lesson that a command is about: the one named, else the one whose folder this is, else the next one.

    Raises LessonError when the name fits none, DeskError when no name is given and everything is done.
    """
    if word:
        return find_lesson(word)
    here = desk.lesson_at(Path.cwd())
    if here is not None:
        return here
    up = next_up(standings(desk))
    if up is None:
        raise DeskError(f"every lesson is done: say which you mean, such as {lessons()[0].number}.")
    return up.lesson
