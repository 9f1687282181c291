"""Copies of the lessons on a student's desk: made once, never overwritten, one put back on request."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from looplift.desk.desk import Desk, DeskError, find_desk
from looplift.desk.notes import FILE, Note, spare, write_notes, write_whole
from looplift.lesson import Lesson, lessons

_FOR_THE_KIT = {"diff.toml"}  # read where the lessons lie; a student has no use for it


@dataclass(frozen=True)
class Started:
    """What `start` did. added: the files that were missing, relative to the desk. new: there was no desk before."""

    desk: Desk
    added: tuple[str, ...]
    new: bool


def start(folder: Path) -> Started:
    """Copy to a folder what is missing of the lessons. Nothing that is there is touched.

    Raises DeskError when something else is in the way, OSError when the folder cannot be written to.
    """
    if folder.exists() and not folder.is_dir():
        raise DeskError(f"{folder} is a file: name a folder, or leave the name out.")
    around = find_desk(folder.resolve().parent)
    if around is not None and not (folder / FILE).is_file():
        raise DeskError(f"{folder} would lie inside your course {around.folder}: choose another place.")
    folder.mkdir(parents=True, exist_ok=True)
    added = [name for lesson in lessons() for name in _add_missing(lesson, folder)]
    desk = Desk(folder.resolve())
    new = not (folder / FILE).exists()
    if new:
        write_notes(folder, {})
    return Started(desk, tuple(added), new)


def put_back(desk: Desk, lesson: Lesson) -> Path | None:
    """Put the exercise back as it was given, and forget its points. Gives the backup of the student's own, if any.

    Raises DeskError or OSError; the student's own is then where it was.
    """
    path = desk.place(lesson) / lesson.exercise.name
    given = lesson.exercise.read_bytes()
    backup = None
    if path.is_file():
        mine = path.read_bytes()
        if mine != given:
            backup = spare(path.with_name(f"exercise-backup-{datetime.now():%Y%m%d-%H%M%S}.ipynb"))
            write_whole(backup, mine)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, given)
    desk.change(lesson, points=0, passed=False, checked="", hints=Note().hints)
    return backup


def _add_missing(lesson: Lesson, folder: Path) -> list[str]:
    """Copy the files of a lesson that the folder lacks; their names."""
    added = []
    for source in sorted(lesson.folder.rglob("*")):
        name = source.relative_to(lesson.folder)
        left_behind = any(
            part.startswith((".", "__")) for part in name.parts
        )  # by running or opening a lesson
        if left_behind or not source.is_file() or name.name in _FOR_THE_KIT:
            continue
        target = folder / lesson.name / name
        if os.path.lexists(target):
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise DeskError(
                f"{target.parent} is a file, and the lesson needs a folder there: move it away."
            ) from None
        write_whole(target, source.read_bytes())
        added.append(f"{lesson.name}/{name.as_posix()}")
    return added
