"""Stages: the refactoring of a lesson one step at a time, each step a program of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from looplift.diff.diff import Diff, diff_lesson
from looplift.diff.notes import FILE, Note, lesson_notes
from looplift.diff.pairing import Line, Row
from looplift.lesson import Lesson, LessonError


@dataclass(frozen=True)
class Stage:
    """Step `number` of `of`. diff: the program before this step and after it."""

    number: int
    of: int
    title: str
    sentence: str
    diff: Diff

    @property
    def heading(self) -> str:
        return f"Step {self.number} of {self.of}: {self.title}"

    @property
    def program(self) -> str:
        """The program that this step leads to."""
        return "".join(f"{line.text}\n" for line in self.diff.right)


def lesson_stages(lesson: Lesson) -> tuple[Stage, ...]:
    """The steps from before.py to after.py, in the order of the lesson's diff.toml.

    Raises LessonError when the lesson has no steps, or when they do not fit its programs.
    """
    diff = diff_lesson(lesson)
    notes = lesson_notes(lesson, diff)
    if not notes:
        raise LessonError(
            f"{lesson.name} has no steps: list them, in order, in {lesson.folder / FILE}, "
            "as the other lessons do."
        )
    return stages_of(diff, notes)


def stages_of(diff: Diff, notes: Sequence[Note]) -> tuple[Stage, ...]:
    """Apply the changes in the order of their notes. The notes cover every change once."""
    step_of = {at: step for step, note in enumerate(notes) for block in note.blocks for at in block}
    stages = []
    for step, note in enumerate(notes):
        rows = [_seen(row, step, step_of.get(at)) for at, row in enumerate(diff.rows)]
        now = Diff("", "before this step", "after this step", _numbered([row for row in rows if row]))
        stages.append(Stage(step + 1, len(notes), note.title, note.sentence, now))
    return tuple(stages)


def around(diff: Diff, context: int) -> Diff:
    """The changed rows with `context` rows above and below each."""
    changed = [at for at, row in enumerate(diff.rows) if row.kind != "same"]
    near = {it for at in changed for it in range(at - context, at + context + 1)}
    return replace(diff, rows=tuple(row for at, row in enumerate(diff.rows) if at in near))


def _seen(row: Row, now: int, step: int | None) -> Row | None:
    """A row of the whole diff as it stands at step `now`: done, being done, or still to come."""
    if step is None or step == now:
        return row
    line = row.right if step < now else row.left
    if line is None:
        return None
    plain = Line(line.number, line.text)
    return Row("same", plain, plain)


def _numbered(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with their lines numbered from 1 on each side."""
    left = right = 0
    found = []
    for row in rows:
        left += row.left is not None
        right += row.right is not None
        found.append(
            Row(
                row.kind,
                replace(row.left, number=left) if row.left else None,
                replace(row.right, number=right) if row.right else None,
            )
        )
    return tuple(found)
