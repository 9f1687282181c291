"""The diff in a notebook: `show_diff()` as the last line of a cell."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from looplift.diff.diff import Diff, diff_lesson
from looplift.diff.notes import Note, lesson_notes
from looplift.diff.style import notebook_style
from looplift.diff.table import table_html
from looplift.diff.terminal import render
from looplift.lesson import LessonError, find_lesson, lessons


@dataclass(frozen=True, repr=False)
class DiffView:
    """What a notebook shows for a diff: a table where it can, plain text where it cannot."""

    diff: Diff
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        return render(self.diff)

    def _repr_html_(self) -> str:
        """A fragment that carries its own CSS, which reaches nothing outside it."""
        name = "Before and after"
        return (
            f'<section class="looplift-diff tex2jax_ignore mathjax_ignore" aria-label="{name}">\n'
            f"<style>\n{notebook_style()}\n</style>\n{table_html(self.diff, linked=False)}\n"
            f"{self._reasons()}</section>"
        )

    def _reasons(self) -> str:
        """The notes below the table: beside it, a notebook has no room for them."""
        if not self.notes:
            return ""
        items = "".join(
            f"<li><strong>{escape(note.title)}.</strong> {escape(note.sentence)}</li>" for note in self.notes
        )
        return f'<ol class="looplift-notes" aria-label="Why each change is made">{items}</ol>\n'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def show_diff(lesson_word: str | None = None) -> DiffView:
    """The diff of a lesson's before.py and after.py, to be shown in a notebook.

    lesson_word: `01`, `first_loop` or `01_first_loop`. Without it: the lesson whose name the
    notebook's folder has, as in a course directory, or one of the folders around it.
    Raises LessonError, naming the lessons there are, when none fits.
    """
    lesson = find_lesson(lesson_word or _lesson_here())
    diff = diff_lesson(lesson)
    return DiffView(diff, lesson_notes(lesson, diff))


def _lesson_here() -> str:
    names = [lesson.name for lesson in lessons()]
    here = Path.cwd()
    for folder in (here, *here.parents):
        if folder.name in names:
            return folder.name
    raise LessonError(
        f"The folder {here} is not named after a lesson: say which you mean, as in "
        f'show_diff("{names[0] if names else "01"}"). There are: {", ".join(names) or "none"}.'
    )
