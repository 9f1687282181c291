"""Notes: why each change of a lesson is made, one sentence each, from the lesson's diff.toml."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from looplift.diff.diff import Diff
from looplift.lesson import Lesson, LessonError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "diff.toml"
_KEYS = {"title", "note", "before", "after"}


@dataclass(frozen=True)
class Note:
    """One step of the refactoring. blocks: the changed rows that it explains, as ranges of row numbers."""

    title: str
    sentence: str
    blocks: tuple[range, ...]


def change_blocks(diff: Diff) -> list[range]:
    """Runs of rows that changed together.

    A run is cut where a removed row meets an added one: two lines too unlike to stand side by side are
    two changes.
    """
    found: list[range] = []
    for at, row in enumerate(diff.rows):
        if row.kind == "same":
            continue
        together = (
            found and found[-1].stop == at and {diff.rows[at - 1].kind, row.kind} != {"removed", "added"}
        )
        if together:
            found[-1] = range(found[-1].start, at + 1)
        else:
            found.append(range(at, at + 1))
    return found


def lesson_notes(lesson: Lesson, diff: Diff) -> tuple[Note, ...]:
    """The notes of a lesson, in the order of its steps; none when the lesson has no diff.toml.

    Raises LessonError, with everything that is wrong, when they do not fit the lesson's programs.
    """
    path = _path(lesson)
    if not path.is_file():
        return ()
    notes, problems = _read(path, diff)
    if problems:
        raise LessonError(f"{path} does not fit {lesson.name}: {' '.join(problems)}")
    return notes


def note_problems(lesson: Lesson, diff: Diff) -> list[str]:
    """What is wrong with the lesson's notes, a sentence each: every change needs one note, and every note a change."""
    path = _path(lesson)
    if not path.is_file():
        return [
            f"There is no {FILE}: list the changes there, in the order of the steps, with a sentence each."
        ]
    return _read(path, diff)[1]


def _path(lesson: Lesson) -> Path:
    return lesson.folder / FILE


def _read(path: Path, diff: Diff) -> tuple[tuple[Note, ...], list[str]]:
    try:
        steps = tomllib.loads(path.read_text(encoding="utf-8")).get("step", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return (), [f"It is not TOML ({error})."]
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        return (), ["Write each step below a line [[step]]."]
    blocks = change_blocks(diff)
    problems = [problem for number, step in enumerate(steps, 1) for problem in _form(number, step)]
    if problems:
        return (), problems
    notes = tuple(
        Note(step["title"], step["note"], tuple(it for it in blocks if _holds(diff, it, step)))
        for step in steps
    )
    return notes, [*_unmatched(diff, notes, steps), *_uncovered(diff, notes, blocks)]


def _form(number: int, step: dict[str, Any]) -> list[str]:
    """What is wrong with the keys of one step."""
    unknown = sorted(set(step) - _KEYS)
    if unknown:
        return [f"Step {number} has the unknown key {unknown[0]!r}; there are title, note, before and after."]
    texts = [it for key in step for it in (_words(step, key) if key in ("before", "after") else [step[key]])]
    if any(not isinstance(text, str) or not text.strip() for text in texts) or not all(step.values()):
        return [f"Step {number} has a key without a text."]
    if not {"title", "note"} <= set(step) or not {"before", "after"} & set(step):
        return [f"Step {number} needs a title, a note, and words of the change: before, after, or both."]
    if not step["note"].endswith("."):
        return [f"The note of step {number} is not a sentence: it needs a full stop."]
    return []


def _holds(diff: Diff, block: range, step: dict[str, Any]) -> bool:
    """True when one of the step's words stands in a changed line of this block."""
    rows = [diff.rows[at] for at in block]
    left = any(row.left and word in row.left.text for row in rows for word in _words(step, "before"))
    right = any(row.right and word in row.right.text for row in rows for word in _words(step, "after"))
    return left or right


def _words(step: dict[str, Any], key: str) -> list[Any]:
    """The words of a change, one text or a list of them."""
    words = step.get(key, [])
    return words if isinstance(words, list) else [words]


def _unmatched(diff: Diff, notes: Sequence[Note], steps: Sequence[dict[str, Any]]) -> list[str]:
    """Each of a step's words has to be in a changed line."""
    problems = []
    for note, step in zip(notes, steps, strict=True):
        for side, name in (("before", diff.left_name), ("after", diff.right_name)):
            for word in _words(step, side):
                if not any(_holds(diff, it, {side: word}) for it in note.blocks):
                    problems.append(f"No changed line of {name} holds {word!r} (step {note.title!r}).")
    return problems


def _uncovered(diff: Diff, notes: Sequence[Note], blocks: Sequence[range]) -> list[str]:
    """Each change has to have one note."""
    problems = []
    for block in blocks:
        row = diff.rows[block.start]
        line, name = (row.right, diff.right_name) if row.right else (row.left, diff.left_name)
        titles = [note.title for note in notes if block in note.blocks]
        if line is None or len(titles) == 1:
            continue
        said = f"has {len(titles)} notes ({', '.join(titles)})" if titles else "has no note"
        problems.append(f"The change at {name}, line {line.number} {said}: it needs one.")
    return problems
