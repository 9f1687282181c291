"""What a student handed in for an assignment: found in its folder, read, mended, ready to be judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from looplift.classroom.course import NOTEBOOK, Course
from looplift.classroom.extras import MOST, leading_out, not_copied
from looplift.classroom.master import Master
from looplift.classroom.mending import mend
from looplift.classroom.opened import Opened, UnreadableError, open_notebook, read_bytes, shown

EXERCISE = f"{NOTEBOOK}.ipynb"
MOST_NAMES = 10_000  # entries of a submission's folder that are looked at


@dataclass(frozen=True)
class Handin:
    """One student's submission of one assignment.

    lesson: the lesson it is judged as. file: the name it was handed in under, fit to be shown.
    notebook: what nbgrader converts, always complete. judged: that notebook's bytes, None when there is
    nothing to judge. reasons: why a person should look at it. notes: what was mended without harm.
    """

    student: str
    lesson: str
    master: Master
    file: str
    notebook: NotebookNode
    judged: bytes | None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def assignment(self) -> str:
        return self.master.assignment


def read_handin(course: Course, lesson: str, student: str, folder: Path, master: Master) -> Handin:
    """Read what lies in a submission's folder. Never fails: what cannot be read becomes a reason."""
    story = course.story(master.assignment)
    name, reasons = EXERCISE, []
    try:
        name, renamed = find_notebook(folder)
        reasons += renamed
        mended = mend(open_notebook(read_bytes(folder / name), lesson), master, story)
    except UnreadableError as error:
        return _unreadable(lesson, student, master, name, [*reasons, str(error)])
    except Exception as error:  # whatever a made-up file provokes in json, nbformat or this kit
        why = f"the notebook cannot be read ({type(error).__name__}: {shown(str(error), 80)})"
        return _unreadable(lesson, student, master, name, [*reasons, why])
    judged = nbformat.writes(mended.notebook).encode("utf-8")
    odd, notes = _left_out(folder)
    every = (*reasons, *odd, *mended.reasons)
    return Handin(
        student, lesson, master, shown(name, 80), mended.notebook, judged, every, (*mended.notes, *notes)
    )


def _left_out(folder: Path) -> tuple[list[str], list[str]]:
    """What is to be told of files that are not taken along: reasons for a person to look, and notes."""
    out, names = leading_out(folder), not_copied(folder)
    if names == [folder.name]:
        notes = [f"there are more than {MOST} files beside the notebook; none was taken along"]
    else:
        harmless = [it for it in names if it not in out]
        notes = [f"special or large files were left out: {_several(harmless)}"] if harmless else []
    return [f"links to files elsewhere were left out: {_several(out)}"] if out else [], notes


def _several(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(shown(it, 30) for it in names[:3]) + more


def find_notebook(folder: Path) -> tuple[str, list[str]]:
    """The file to take for the exercise, and a reason when it has another name.

    Raises UnreadableError when there is none, or when there are several and none has the right name.
    """
    try:
        names = sorted(it.name for it in islice(folder.iterdir(), MOST_NAMES) if not it.name.startswith("."))
    except OSError as error:
        raise UnreadableError(f"the submission's folder cannot be opened ({error.strerror})") from None
    if EXERCISE in names:
        return EXERCISE, []
    likely: list[Callable[[str], bool]] = [
        lambda name: name.lower().endswith(".ipynb"),
        lambda name: ".ipynb" in name.lower() or name.lower().endswith(".json"),  # as browsers save it
    ]
    for fits in likely:
        found = [name for name in names if fits(name)]
        if len(found) == 1:
            return found[0], [f"the notebook is called {shown(found[0])!r}, not {EXERCISE!r}"]
        if found:
            several = ", ".join(shown(name) for name in found[:4])
            raise UnreadableError(f"there are several notebooks and none is called {EXERCISE} ({several})")
    there = ", ".join(shown(name) for name in names[:4] if name != "timestamp.txt")
    raise UnreadableError(
        f"no notebook was handed in ({'only ' + there if there else 'the folder is empty'})"
    )


def _unreadable(lesson: str, student: str, master: Master, name: str, reasons: list[str]) -> Handin:
    empty = mend(Opened((), ()), master)
    return Handin(student, lesson, master, shown(name, 80), empty.notebook, None, tuple(reasons))
