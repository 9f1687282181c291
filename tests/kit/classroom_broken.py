"""Broken submissions: each a way in which real students' files are broken, and the reason to be told."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classroom_cases import OTHER, RIGHT, WRONG, cell, notebook

Notebook = dict[str, Any]


@dataclass(frozen=True)
class Broken:
    """A way of being broken.

    write: puts the submission into its folder. reason: a part of what is told. points: what it is worth,
    None when it cannot be judged. stock: whether `nbgrader autograde` grades it as well.
    """

    name: str
    write: Callable[[Path], None]
    reason: str
    points: float | None = 10.0
    stock: bool = True


def _bytes(content: bytes, name: str = "exercise.ipynb") -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def _changed(change: Callable[[Notebook], object], name: str = "exercise.ipynb") -> Callable[[Path], None]:
    """The right notebook with one thing done to it."""

    def write(folder: Path) -> None:
        raw = notebook(RIGHT)
        change(raw)
        (folder / name).write_text(json.dumps(raw), encoding="utf-8")

    return write


def _marks(raw: Notebook, grade_id: str) -> dict[str, Any]:
    return cell(raw, grade_id)["metadata"]["nbgrader"]


def _remove(raw: Notebook, *grade_ids: str) -> None:
    gone = [cell(raw, it) for it in grade_ids]
    raw["cells"] = [it for it in raw["cells"] if it not in gone]


def _double(raw: Notebook, grade_id: str, first: str | None = None) -> None:
    """Copy a cell below itself; `first` is then the upper one's source."""
    at = raw["cells"].index(cell(raw, grade_id))
    raw["cells"].insert(at + 1, json.loads(json.dumps(raw["cells"][at])))
    if first is not None:
        raw["cells"][at]["source"] = first


def _without_marks(raw: Notebook) -> None:
    for it in raw["cells"]:
        it["metadata"] = {}
        it.pop("id", None)


def _in_format_3(raw: Notebook) -> None:
    cells = raw.pop("cells")
    for it in cells:
        it.pop("id", None)
        if it["cell_type"] == "code":
            it["input"], it["language"], it["prompt_number"] = it.pop("source"), "python", 1
            it.pop("execution_count", None)
    raw["worksheets"] = [{"cells": cells, "metadata": {}}]
    raw["nbformat"], raw["nbformat_minor"] = 3, 0


def _only_text(raw: Notebook) -> None:
    raw["cells"] = [it for it in raw["cells"] if it["cell_type"] == "markdown"]


def _made_in_r(raw: Notebook) -> None:
    raw["metadata"]["kernelspec"] = {"name": "ir", "display_name": "R", "language": "R"}
    raw["metadata"]["language_info"] = {"name": "R"}


def _link(folder: Path) -> None:
    (folder.parent / "elsewhere.ipynb").write_text(json.dumps(notebook()), encoding="utf-8")
    (folder / "exercise.ipynb").symlink_to(folder.parent / "elsewhere.ipynb")


def _several(folder: Path) -> None:
    for name in ("Untitled.ipynb", "Untitled1.ipynb"):
        (folder / name).write_text(json.dumps(notebook()), encoding="utf-8")


def _folder(folder: Path) -> None:
    (folder / "exercise.ipynb").mkdir()
    (folder / "exercise.ipynb" / "exercise.ipynb").write_text("{}", encoding="utf-8")


def _strange_marks(raw: Notebook) -> None:
    _marks(raw, "check-backward").update(points="many", grade="yes", schema_version=[3])
    raw["cells"][0]["metadata"] = {"nbgrader": "locked"}
    raw["cells"][1]["metadata"] = {"nbgrader": {"grade_id": ["a"], "grade": True}}


UNREADABLE = [
    Broken("empty file", _bytes(b""), "the file is empty", None),
    Broken("white space", _bytes(b" \n\n"), "the file is empty", None),
    Broken("cut off", _bytes(json.dumps(notebook()).encode()[:900]), "its JSON breaks off", None),
    Broken("a picture", _bytes(b"\x89PNG\r\n\x1a\n\xff\xfe\x00"), "the file is not text", None),
    Broken("brackets", _bytes(b"[" * 200_000), "its JSON makes no sense", None),
    Broken("a list", _bytes(b"[1, 2]"), "JSON but not a notebook", None),
    Broken("no cells", _bytes(b'{"nbformat": 4, "metadata": {}}'), "has no list of cells", None),
    Broken(
        "other lesson", _bytes(json.dumps(notebook(RIGHT, OTHER)).encode()), f"the notebook of {OTHER}", None
    ),
    Broken("a folder", _folder, "is a folder, not a file", None),
    Broken("a link", _link, "is a link or a special file", None),
    Broken("several", _several, "several notebooks and none is called exercise.ipynb", None),
    Broken(
        "a script",
        _bytes(RIGHT.encode(), "exercise.py"),
        "no notebook was handed in (only exercise.py)",
        None,
        False,
    ),
    Broken("nothing", lambda folder: None, "no notebook was handed in (the folder is empty)", None, False),
]

JUDGED = [
    Broken("other name", _changed(lambda raw: None, "Exercise (1).ipynb"), "called 'Exercise (1).ipynb'"),
    Broken(
        "as text",
        _changed(lambda raw: None, "exercise.ipynb.txt"),
        "called 'exercise.ipynb.txt'",
        stock=False,
    ),
    Broken("format 3", _changed(_in_format_3), "old format 3"),
    Broken("format 99", _changed(lambda raw: raw.update(nbformat=99)), "says it is in format 99"),
    Broken("no format", _changed(lambda raw: raw.pop("nbformat")), "says it is in format None"),
    Broken(
        "check missing", _changed(lambda raw: _remove(raw, "check-backward")), "check-backward was missing"
    ),
    Broken(
        "given missing",
        _changed(lambda raw: _remove(raw, "setup", "given")),
        "the cells setup, given were missing",
    ),
    Broken(
        "answer missing", _changed(lambda raw: _remove(raw, "answer")), "the cell answer was missing", 0.0
    ),
    Broken(
        "check doubled",
        _changed(lambda raw: _double(raw, "check-prepared")),
        "check-prepared was there 2 times",
    ),
    Broken("answer doubled", _changed(lambda raw: _double(raw, "answer", WRONG)), "answer was there 2 times"),
    Broken(
        "check renamed",
        _changed(lambda raw: _marks(raw, "check-backward").update(grade_id="mine")),
        "check-backward was called 'mine'",
    ),
    Broken(
        "answer renamed",
        _changed(lambda raw: _marks(raw, "answer").update(grade_id="solution-2")),
        "answer was called 'solution-2'",
    ),
    Broken(
        "unknown cell",
        _changed(
            lambda raw: raw["cells"][0]["metadata"].update(nbgrader={"grade_id": "bonus", "grade": True})
        ),
        "unknown nbgrader cells were ignored: bonus",
    ),
    Broken(
        "more points",
        _changed(lambda raw: _marks(raw, "check-backward").update(points=100)),
        "the cell check-backward came with changed points",
    ),
    Broken(
        "other flags",
        _changed(lambda raw: _marks(raw, "check-backward").update(grade=False, solution=True)),
        "the cell check-backward came with changed flags and points",
    ),
    Broken(
        "old marks",
        _changed(lambda raw: _marks(raw, "check-backward").update(schema_version=1)),
        "the cell check-backward came with changed format",
    ),
    Broken(
        "strange marks",
        _changed(_strange_marks),
        "the cell check-backward came with changed flags and points and format",
    ),
    Broken(
        "check as text",
        _changed(lambda raw: cell(raw, "check-backward").update(cell_type="markdown")),
        "the cell check-backward came with changed kind",
    ),
    Broken("no marks", _changed(_without_marks), "answer, launch"),
    Broken("R", _changed(_made_in_r), "another kernel (r)"),
    Broken("no code", _changed(_only_text), "there is no code of the student's in it", 0.0),
    Broken(
        "blank answer", _changed(lambda raw: cell(raw, "answer").update(source=" ")), "there is no code", 0.0
    ),
    Broken(
        "empty notebook", _changed(lambda raw: raw.update(cells=[])), "there is no code of the student's", 0.0
    ),
    Broken(
        "half a character",
        _changed(lambda raw: raw["cells"][0].update(source="\ud83d <- half of it")),
        "characters that are not text",
    ),
    Broken(
        "odd cells",
        _changed(
            lambda raw: raw["cells"].extend([7, {"cell_type": ["code"]}, {"cell_type": "code", "source": 3}])
        ),
        "3 cells could not be read",
    ),
]

EVERY = UNREADABLE + JUDGED
