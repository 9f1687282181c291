"""lessons/README.md: every feature of the two documents that the course comes from, and the line that teaches it.

`LOOPLIFT_RENEW=1 pytest tests/kit/test_lessons_readme.py` writes the numbers anew; the words say which line is meant.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from looplift.lesson import lessons, lessons_folder

README = lessons_folder() / "README.md"
ROW = re.compile(
    r"^\| (?P<feature>.+?) \| \[(?P<shown>[^\]]+), (?P<unit>line|cell) (?P<number>\d+)\]\((?P<path>[^)#]+)(?:#L\d+)?\) "
    r"\| ``? ?(?P<words>.+?) ?``? \|$"
)
LATER = re.compile(r"^- (?P<feature>.+): lesson (?P<number>\d\d)$")


@dataclass(frozen=True)
class Row:
    """A line of a table. number: of the line in a program, of the cell in a notebook, both from 1."""

    text: str
    feature: str
    path: str
    unit: str
    number: int
    words: str

    def found(self) -> list[int]:
        """Numbers of the lines, or cells, that hold the words."""
        file = README.parent / self.path
        if file.suffix == ".ipynb":
            cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
            places = [" ".join("".join(cell["source"]).split()) for cell in cells]
        else:
            places = [" ".join(line.split()) for line in file.read_text(encoding="utf-8").splitlines()]
        return [number for number, text in enumerate(places, 1) if self.words in text]

    def renewed(self) -> str:
        number = self.found()[0]
        text = re.sub(rf", {self.unit} \d+\]", f", {self.unit} {number}]", self.text)
        return re.sub(r"#L\d+\)", f"#L{number})", text)


def rows() -> list[Row]:
    lines = README.read_text(encoding="utf-8").splitlines()
    matches = [(line, ROW.match(line)) for line in lines if line.startswith("| ") and "](" in line]
    unread = [line for line, it in matches if it is None]
    assert unread == []
    return [
        Row(line, it["feature"], it["path"], it["unit"], int(it["number"]), it["words"])
        for line, it in matches
        if it is not None
    ]


def renew() -> None:
    """Write the numbers anew."""
    text = README.read_text(encoding="utf-8")
    for row in rows():
        text = text.replace(row.text, row.renewed())
    README.write_text(text, encoding="utf-8")


if os.environ.get("LOOPLIFT_RENEW"):
    renew()


def test_the_tables_hold_the_features_of_both_documents() -> None:
    text = README.read_text(encoding="utf-8")
    tutorial, slides = text.split("## From the slides")
    assert len([row for row in rows() if row.text in tutorial]) >= 30
    assert len([row for row in rows() if row.text in slides]) >= 14
    assert len({row.feature for row in rows()}) == len(rows())


@pytest.mark.parametrize("row", rows(), ids=lambda it: it.feature[:40])
def test_the_line_that_is_named_teaches_the_feature(row: Row) -> None:
    assert Path(README.parent, row.path).is_file()
    assert row.number in row.found(), (
        f"it is now {row.unit} {row.found()[:1]}; LOOPLIFT_RENEW=1 writes it anew"
    )
    assert row.unit == ("cell" if row.path.endswith(".ipynb") else "line")
    if row.unit == "line":
        assert f"#L{row.number})" in row.text


def test_what_is_not_taught_yet_is_said_and_nothing_else() -> None:
    there = {lesson.number for lesson in lessons()}
    matches = map(LATER.match, README.read_text(encoding="utf-8").splitlines())
    later = [it["number"] for it in matches if it is not None]
    assert there.isdisjoint(later), "take out of the list what is taught now, and name its line in the table"
    for number in sorted({f"{it:02}" for it in range(1, 13)} - there):
        assert number in later, f"lesson {number} is neither there nor named as missing"
