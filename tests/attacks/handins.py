"""Hostile hand-ins: folders whose files are made to harm whoever reads them, not whoever runs them."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classroom_cases import RIGHT, cell, notebook

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>"
FORMULA = (
    r"$\href{javascript:alert(1)}{x}$ [x](javascript:alert(1)) ![x](data:text/html;base64,PHNjcmlwdD4=)"
    + (
        "\n[x](  jAvaScript&colon;alert(1)) [y](<java\tscript:alert(1)>) [z][z] [x](\njavascript:alert(1))\n\n"
        "[z]: javascript:alert(1)\n[w](https://example.org) <javascript:alert(1)>"
    )
)
CLEAR = "\x1b[2J\x1b[H\x9b31m\u202e"


@dataclass(frozen=True)
class Hostile:
    """A way to be hostile. write: puts the files into a submission's folder, given the course's. reason: a part of what
    is told, "" when nothing need be. points: what it is worth, None when it cannot be judged."""

    name: str
    write: Callable[[Path, Path], object]
    reason: str = ""
    points: float | None = 10.0


def _right(folder: Path, change: Callable[[dict[str, Any]], object] = lambda raw: None) -> Path:
    raw = notebook(RIGHT)
    change(raw)
    path = folder / "exercise.ipynb"
    path.write_text(json.dumps(raw), encoding="utf-8")
    return path


def _beside(make: Callable[[Path, Path], object]) -> Callable[[Path, Path], object]:
    """A right notebook, and something made beside it."""

    def write(folder: Path, course: Path) -> None:
        _right(folder)
        make(folder, course)

    return write


def _changed(change: Callable[[dict[str, Any]], object]) -> Callable[[Path, Path], object]:
    return lambda folder, _: _right(folder, change)


def _bytes(data: bytes) -> Callable[[Path, Path], object]:
    return lambda folder, _: (folder / "exercise.ipynb").write_bytes(data)


def _sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)  # takes no room


def _many(folder: Path) -> None:
    for number in range(2_000):
        (folder / f"{number}.txt").touch()


def _socket(folder: Path) -> None:
    here = os.getcwd()
    os.chdir(folder)  # its path is too long for a socket's address
    with socket.socket(socket.AF_UNIX) as it:
        it.bind("exercise.ipynb")
    os.chdir(here)


def _pages(raw: dict[str, Any]) -> None:
    """A script wherever a notebook has room for text."""
    raw["metadata"]["title"] = raw["metadata"]["authors"] = SCRIPT
    raw["metadata"]["kernelspec"] = {"name": "python3", "language": "python", "display_name": SCRIPT}
    for it in raw["cells"]:
        it["metadata"]["tags"] = [SCRIPT]
        if it["cell_type"] == "code":
            page = {"output_type": "display_data", "metadata": {}, "data": {"text/html": SCRIPT}}
            it["outputs"] = [page, {"output_type": "stream", "name": "stdout", "text": CLEAR + SCRIPT}]
    attached = {"x.svg": {"image/svg+xml": SCRIPT}}
    raw["cells"] += [
        {"cell_type": "markdown", "metadata": {}, "source": SCRIPT + FORMULA, "attachments": attached},
        {"cell_type": "raw", "metadata": {"raw_mimetype": "text/html"}, "source": SCRIPT},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": f"# {SCRIPT}{CLEAR}"},
        {"cell_type": "html", "metadata": {}, "source": SCRIPT},
    ]


def _marks(raw: dict[str, Any], **changed: object) -> None:
    cell(raw, "check-backward")["metadata"]["nbgrader"].update(changed)


def _bonus(raw: dict[str, Any]) -> None:
    for name, points in (("check-bonus", 100), ("check-prepared-2", 1e308), ("check-nan", float("nan"))):
        marks = {"grade": True, "grade_id": name, "locked": False, "points": points, "schema_version": 3,
                 "solution": False, "task": False}  # fmt: skip
        raw["cells"].append(
            {"cell_type": "code", "metadata": {"nbgrader": marks}, "outputs": [], "source": "1"}
        )


def _deep(raw: dict[str, Any]) -> None:
    raw["metadata"]["deep"] = "DEEP"


def _million(folder: Path, _: Path) -> None:
    one = b'{"cell_type":"raw","source":"","metadata":{}}'
    (folder / "exercise.ipynb").write_bytes(
        b'{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[' + b",".join([one] * 1_000_000) + b"]}"
    )


HOSTILE = [
    Hostile("a link to the gradebook", lambda folder, course: (folder / "exercise.ipynb").symlink_to(
        course / "gradebook.db"), "is a link or a special file", None),
    Hostile("a link to the secret beside", _beside(lambda folder, course: (folder / "data.csv").symlink_to(
        course / ".looplift" / "secret")), "left out: data.csv"),
    Hostile("a link to the secret as time stamp", _beside(lambda folder, course: (folder / "timestamp.txt").symlink_to(
        course / ".looplift" / "secret")), "left out: timestamp.txt"),
    Hostile("a link up and down again", _beside(lambda folder, course: (folder / "up.txt").symlink_to(
        "../../../.looplift/secret")), "left out: up.txt"),
    Hostile("a link to the root", _beside(lambda folder, course: (folder / "root").symlink_to("/")), "left out: root"),
    Hostile("a link to endless zeros", _beside(lambda folder, course: (folder / "zeros").symlink_to("/dev/zero")),
            "left out: zeros"),
    Hostile("a folder that holds a link", _beside(lambda folder, course: (
        (folder / "data").mkdir(), (folder / "data" / "x").symlink_to(course / "gradebook.db"))), "left out: x"),
    Hostile("a pipe", lambda folder, _: os.mkfifo(folder / "exercise.ipynb"), "is a link or a special file", None),
    Hostile("a pipe beside", _beside(lambda folder, _: os.mkfifo(folder / "pipe")), ""),
    Hostile("a socket", lambda folder, _: _socket(folder), "is a link or a special file", None),
    Hostile("half a gigabyte", lambda folder, _: _sparse(folder / "exercise.ipynb", 500_000_000), "has 500 MB", None),
    Hostile("a terabyte beside", _beside(lambda folder, _: _sparse(folder / "model.pt", 10**12)), ""),
    Hostile("thousands of files", _beside(lambda folder, _: _many(folder)), ""),
    Hostile("a million cells", _million, "more than 2000 cells", None),
    Hostile("brackets without end", _bytes(b'{"cells": ' + b"[" * 1_000_000), "makes no sense", None),
    Hostile("objects without end", _bytes(b'{"a":' * 500_000), "makes no sense", None),
    Hostile("a number without end", _bytes(b'{"cells": [], "nbformat": ' + b"9" * 100_000 + b"}"), "makes no sense",
            None),
    Hostile("a cell of megabytes", _changed(lambda raw: raw["cells"].append(
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": "#" * 3_000_000})), "more text than", None),
    Hostile("scripts everywhere", _changed(_pages)),
    Hostile("a name that is a script", lambda folder, _: _right(folder).rename(
        folder / "<img src=x onerror=alert(1)>.ipynb"), "is called"),
    Hostile("a name that clears the screen", lambda folder, _: _right(folder).rename(
        folder / f"{CLEAR}\n10 of 10.ipynb"), "is called"),
    Hostile("ids that are scripts", _changed(lambda raw: _marks(raw, grade_id=SCRIPT)), "was called"),
    Hostile("ids that climb", _changed(lambda raw: _marks(raw, grade_id="../../../gradebook")), "was called"),
    Hostile("points without end", _changed(lambda raw: _marks(raw, points=1e308)), "changed points"),
    Hostile("points below nothing", _changed(lambda raw: _marks(raw, points=-100)), "changed points"),
    Hostile("points that are no number", _changed(lambda raw: _marks(raw, points=float("nan"))), "changed points"),
    Hostile("points for nothing", _changed(_bonus), "unknown nbgrader cells were ignored: check-bonus"),
    Hostile("another notebook that claims points", _beside(lambda folder, _: (folder / "bonus.ipynb").write_text(
        json.dumps(notebook(RIGHT))))),
]  # fmt: skip
