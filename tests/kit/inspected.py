"""What the tests of `looplift inspect` share: answers with the lesson's cells around them, and marks in scripts."""

from __future__ import annotations

import re
from pathlib import Path

from looplift.inspection import Found, Reading, inspect_source, read_text
from looplift.lesson import find_lesson

TESTS = Path(__file__).resolve().parents[1]
ANSWERS = TESTS / "answers"
SCRIPTS = TESTS / "inspect"
_MARK = re.compile(r"# <- (?P<kinds>[a-z, -]+)$")


def as_in_the_notebook(answer: Path) -> tuple[str, int]:
    """An answer between the lesson's cells that run before and after it, and how many lines stand before it."""
    lesson = find_lesson(answer.parent.name)
    before = "\n".join(lesson.cell_source(it) for it in ("setup", "given", "plain")) + "\n"
    text = answer.read_text(encoding="utf-8")
    return f"{before}{text}\n{lesson.cell_source('launch')}\n", before.count("\n")


def found_in_answer(lesson: str, name: str) -> list[Found]:
    """What is found in an answer among the lesson's cells."""
    text, _ = as_in_the_notebook(ANSWERS / lesson / f"{name}.py")
    return list(inspect_source(read_text("answer.py", text)).found)


def marked(path: Path) -> set[tuple[str, int]]:
    """(kind, line) of the marks `# <- kind, kind` in a script."""
    marks = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        found = _MARK.search(line)
        for word in found["kinds"].split(",") if found else ():
            marks.add((word.strip(), number))
    return marks


def found(reading: Reading) -> set[tuple[str, int]]:
    return {(it.kind, it.where.line) for it in reading.found}
