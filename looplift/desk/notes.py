"""Notes on each lesson of a student's course, in one small JSON file: points, when checked, hints shown."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from looplift import __version__
from looplift.lesson import LessonError

FILE = ".looplift.json"
FORMAT = 1
Tell = Callable[[str], None]


class DeskError(LessonError):
    """Something about the student's own folder; the text says what and what to do."""


@dataclass(frozen=True)
class Note:
    """What is kept about one lesson.

    points: the most that a check has given, of `possible`. passed: a check gave all of them. checked: when the last
    check was made, ISO 8601 in UTC, or "". hints: how many levels were shown. gave_up: the model solution was asked
    for before the lesson passed.
    """

    points: float = 0
    possible: float = 0
    passed: bool = False
    checked: str = ""
    hints: int = 0
    gave_up: bool = False


def read_notes(folder: Path, tell: Tell) -> dict[str, Note]:
    """The notes of a folder by lesson name; none where the file is missing.

    A file that makes no sense is set aside, and `tell` is given a sentence about it. Raises DeskError when a newer
    looplift wrote it, and OSError when it cannot be read.
    """
    path = folder / FILE
    try:
        text = path.read_bytes().decode("utf-8")
        raw = json.loads(text)
        if isinstance(raw["format"], int) and raw["format"] > FORMAT:
            raise DeskError(f"{path} was written by a newer looplift ({raw.get('kit')}): update this one.")
        return {str(name): _note(it) for name, it in raw["lessons"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        aside = _set_aside(path)
        write_notes(folder, {})
        tell(
            f"the notes on your progress could not be read ({type(error).__name__}: {error}). They are set aside as "
            f"{aside.name} and begun anew; your exercises are as they were. Check them again to have them counted."
        )
        return {}


def write_notes(folder: Path, notes: Mapping[str, Note]) -> None:
    """Write all notes, whole or not at all. Raises OSError when the folder cannot be written to."""
    raw = {"format": FORMAT, "kit": __version__, "lessons": {name: asdict(it) for name, it in notes.items()}}
    write_whole(folder / FILE, (json.dumps(raw, ensure_ascii=False, indent=1) + "\n").encode())


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in place in one step, so that nobody ever reads half of it, whenever this process dies."""
    number, name = tempfile.mkstemp(prefix=".looplift-", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as part:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
        os.chmod(name, 0o666 & ~_umask())  # mkstemp gives it to its owner only
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def now() -> str:
    """The time as it stands in notes."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def spare(path: Path) -> Path:
    """A name that is not taken: the path itself, or with -2, -3 ... before its suffix."""
    found, count = path, 1
    while os.path.lexists(found):
        count += 1
        found = path.with_name(f"{path.stem}-{count}{path.suffix}")
    return found


def _set_aside(path: Path) -> Path:
    """Rename the broken file, to a name that is not taken."""
    aside = spare(path.with_name(f"looplift-broken-{datetime.now():%Y%m%d-%H%M%S}.json"))
    os.replace(path, aside)
    return aside


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _note(raw: Any) -> Note:
    """Keys that this version does not know are left out; a value of another kind is an error."""
    note = Note(**{key: raw[key] for key in Note.__dataclass_fields__ if key in raw})
    for key, value in asdict(note).items():
        wanted = (int, float) if key in ("points", "possible") else type(getattr(Note(), key))
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise ValueError(f"{key} is {value!r}")
    return note
