"""A student's own folder: where each lesson's copy lies, which file they work in, what is noted."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from looplift.desk.notes import FILE, DeskError, Note, Tell, now, read_notes, write_notes
from looplift.lesson import Lesson, lessons
from looplift.verdict import Verdict

__all__ = ["WORK", "Desk", "DeskError", "find_desk", "open_desk"]

WORK = ("exercise.ipynb", "exercise.py")  # what a student may write their answer in
_TOGETHER = 1.0  # seconds: a notebook and its paired script (jupytext) are saved one after the other


def _on_stderr(sentence: str) -> None:
    sys.stderr.write(f"looplift: {sentence}\n")


@dataclass(frozen=True)
class Desk:
    """A folder that `looplift start` made. tell: how to say that something about the notes was mended."""

    folder: Path
    tell: Tell = field(default=_on_stderr, compare=False)

    def place(self, lesson: Lesson) -> Path:
        """The folder of the student's copy of a lesson."""
        return self.folder / lesson.name

    def work(self, lesson: Lesson) -> Path:
        """The file that the student works in: the notebook, or exercise.py where that was saved later.

        Raises DeskError when there is neither.
        """
        notebook, script = (self.place(lesson) / name for name in WORK)
        saved = {path: path.stat().st_mtime for path in (notebook, script) if path.is_file()}
        if not saved:
            raise DeskError(
                f"{lesson.name} has no exercise.ipynb in {self.place(lesson)}: `looplift start` puts it back."
            )
        if notebook in saved and saved.get(script, 0) <= saved[notebook] + _TOGETHER:
            return notebook
        return script

    def lesson_at(self, path: Path) -> Lesson | None:
        """The lesson in whose copy a path lies, or None."""
        try:
            parts = path.resolve().relative_to(self.folder.resolve()).parts
        except ValueError:
            return None
        return next((it for it in lessons() if parts and it.name == parts[0]), None)

    def notes(self) -> dict[str, Note]:
        """The notes by lesson name, read anew: a check elsewhere may have written them. Errors as `read_notes`."""
        return read_notes(self.folder, self.tell)

    def note(self, lesson: Lesson) -> Note:
        return self.notes().get(lesson.name, Note())

    def change(self, lesson: Lesson, **changes: Any) -> Note:
        """Write other values into the note on a lesson; gives the new note. Raises OSError, DeskError."""
        notes = self.notes()
        notes[lesson.name] = replace(notes.get(lesson.name, Note()), **changes)
        write_notes(self.folder, notes)
        return notes[lesson.name]

    def record(self, lesson: Lesson, verdict: Verdict) -> Note:
        """Note what a check gave. A lesson that has passed stays passed, until it is reset."""
        old = self.note(lesson)
        best = max(old.points, verdict.points) if old.possible == verdict.possible else verdict.points
        passed = old.passed or (verdict.passed and not verdict.flag)
        return self.change(lesson, points=best, possible=verdict.possible, passed=passed, checked=now())


def find_desk(start: Path | None = None) -> Desk | None:
    """The desk around a path, by default the working directory; None when there is none."""
    here = (start or Path.cwd()).resolve()
    return next((Desk(it) for it in (here, *here.parents) if (it / FILE).is_file()), None)


def open_desk() -> Desk:
    """The desk around the working directory. Raises DeskError, saying how to get one, when there is none."""
    desk = find_desk()
    if desk is None:
        raise DeskError(
            "this is not a folder of your course: go there with cd, or make one here with `looplift start`."
        )
    return desk
