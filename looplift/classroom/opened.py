"""A submitted notebook, opened with patience: whatever can be read of it is, and what was odd is said."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from looplift.lesson import LessonError, find_lesson

LARGEST = 64_000_000  # bytes; outputs are dropped, so a notebook that printed much can still be judged
MOST_CELLS = 2_000
MOST_TEXT = 2_000_000  # characters of all cells together
_KINDS = {"code": "code", "markdown": "markdown", "raw": "raw", "heading": "markdown", "html": "markdown"}
_FOREIGN = {"ir", "bash", "deno", "javascript", "xcpp17"}  # kernels whose notebooks name no language
_CELL_ID = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


class UnreadableError(Exception):
    """Nothing can be read of a submission; the text says why, in a few words."""


@dataclass(frozen=True)
class OpenedCell:
    """kind: code, markdown or raw. marks: its nbgrader metadata, {} when it has none."""

    kind: str
    source: str
    marks: dict[str, Any] = field(default_factory=dict)
    id: str = ""

    @property
    def grade_id(self) -> str:
        """What the cell says its nbgrader id is; "" when it claims none."""
        claimed = self.marks.get("grade_id", "")
        return claimed if isinstance(claimed, str) else ""


@dataclass(frozen=True)
class Opened:
    """The cells, and reasons why a person should look at the file."""

    cells: tuple[OpenedCell, ...]
    reasons: tuple[str, ...]


def shown(text: str, length: int = 40) -> str:
    """A piece of a submission, fit to stand in one of our sentences: one line, printable, not long."""
    flat = "".join(it if it.isprintable() else " " for it in text)
    flat = " ".join(flat.split())
    return flat if len(flat) <= length else flat[: length - 3] + "..."


def read_bytes(path: Path) -> bytes:
    """The bytes of a submitted file. Raises UnreadableError when it is no ordinary, readable file."""
    try:
        kind = path.lstat()
        if not stat.S_ISREG(kind.st_mode):
            what = "a folder" if stat.S_ISDIR(kind.st_mode) else "a link or a special file"
            raise UnreadableError(f"{shown(path.name)} is {what}, not a file")
        if kind.st_size > LARGEST:
            raise UnreadableError(
                f"{shown(path.name)} has {kind.st_size // 1_000_000} MB, too much for a notebook"
            )
        # It may have become something else since: no link is followed, no pipe is waited for.
        file = os.open(
            path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        )
        with os.fdopen(file, "rb") as stream:
            return stream.read(LARGEST)
    except OSError as error:
        raise UnreadableError(f"{shown(path.name)} cannot be opened ({error.strerror})") from None


def open_notebook(data: bytes, lesson: str) -> Opened:
    """The cells of a notebook's bytes. Raises UnreadableError when it is none, or another lesson's."""
    reasons: list[str] = []
    raw = _json(data)
    about = raw.get("metadata")
    metadata = about if isinstance(about, dict) else {}
    other = _other_lesson(metadata, lesson)
    if other:
        raise UnreadableError(f"this is the notebook of {other}, not of {lesson}")
    cells = raw.get("cells")
    version = raw.get("nbformat")
    if not isinstance(cells, list) and isinstance(raw.get("worksheets"), list):
        sheets = [it for it in raw["worksheets"] if isinstance(it, dict)]
        cells = [cell for sheet in sheets for cell in _as_list(sheet.get("cells"))]
        reasons.append("the notebook is in the old format 3 and was converted")
    elif version != 4:
        reasons.append(f"the notebook says it is in format {shown(repr(version), 12)}, read as 4")
    if isinstance(cells, list) and len(cells) > MOST_CELLS:
        raise UnreadableError(f"it has more than {MOST_CELLS} cells, so it was not read")
    if not isinstance(cells, list):
        raise UnreadableError("it is JSON but has no list of cells, so it is not a notebook")
    language = _language(metadata)
    if language != "python":
        reasons.append(f"the notebook was made for another kernel ({shown(language, 20)}), judged as Python")
    good = [_cell(it) for it in cells]
    kept = tuple(it for it in good if it is not None)
    if sum(len(it.source) for it in kept) > MOST_TEXT:
        raise UnreadableError("its cells hold more text than anybody writes, so it was not read")
    if len(kept) < len(good):
        reasons.append(f"{len(good) - len(kept)} cells could not be read and were left out")
    if any(_has_surrogates(it.source) for it in kept):
        reasons.append("the notebook holds characters that are not text; they were replaced by ?")
        kept = tuple(OpenedCell(it.kind, _as_text(it.source), it.marks, it.id) for it in kept)
    return Opened(kept, tuple(reasons))


def _json(data: bytes) -> dict[str, Any]:
    if not data.strip():
        raise UnreadableError("the file is empty")
    if data.count(b"cell_type") > MOST_CELLS:  # before they take a gigabyte as Python objects
        raise UnreadableError(f"it has more than {MOST_CELLS} cells, so it was not read")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"  # editors on Windows
    try:
        raw = json.loads(data.decode(encoding))
    except UnicodeDecodeError:
        raise UnreadableError("the file is not text, so it is not a notebook") from None
    except json.JSONDecodeError as error:
        raise UnreadableError(
            f"the file is not a notebook: its JSON breaks off or is damaged at line {error.lineno}, "
            f"column {error.colno}"
        ) from None
    except (RecursionError, ValueError):  # brackets without end, a number of 5000 digits
        raise UnreadableError("the file is not a notebook: its JSON makes no sense") from None
    if not isinstance(raw, dict):
        raise UnreadableError("it is JSON but not a notebook")
    return raw


def _other_lesson(metadata: dict[str, Any], lesson: str) -> str:
    """The lesson whose notebook this says it is, when that is another one of the course."""
    about = metadata.get("looplift")
    name = about.get("lesson") if isinstance(about, dict) else None
    if not isinstance(name, str) or name == lesson:
        return ""
    try:
        found = find_lesson(name).name
    except LessonError:
        return ""
    return "" if found == lesson else found


def _language(metadata: dict[str, Any]) -> str:
    """The kernel's language, `python` when the notebook does not say."""
    kernel, language = metadata.get("kernelspec"), metadata.get("language_info")
    kernel = kernel if isinstance(kernel, dict) else {}
    language = language if isinstance(language, dict) else {}
    said = kernel.get("language") or language.get("name")
    if not said and str(kernel.get("name", "")) in _FOREIGN:
        said = kernel["name"]
    said = str(said or "python").lower()
    return "python" if said in ("python", "python3", "ipython") else said


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _cell(raw: object) -> OpenedCell | None:
    kind = raw.get("cell_type") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(kind, str) or kind not in _KINDS:
        return None
    source = raw.get("source", raw.get("input", ""))  # format 3 calls it input
    if isinstance(source, list) and all(isinstance(it, str) for it in source):
        source = "".join(source)
    if not isinstance(source, str):
        return None
    metadata = raw.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = raw.get("id")
    known = isinstance(name, str) and _CELL_ID.match(name)
    return OpenedCell(
        _KINDS[kind],
        source,
        dict(marks) if isinstance(marks, dict) else {},
        str(name) if known else "",
    )


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= it <= "\udfff" for it in text)


def _as_text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
