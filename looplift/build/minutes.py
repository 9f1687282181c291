"""How long a lesson takes: an estimate, to notice a header that is far off.

    minutes = words / 175 + lines of code to read / 8 + lines to write + checks / 2

- words of the story, hints left out. 175 a minute is the slow end of how most adults read English non-fiction to
  themselves (175 to 300; Brysbaert 2019, "How many words do we read per minute?", J. Memory and Language 109); for
  many of our readers it is not their first language.
- lines of code that are shown: given cells, examples in the story, after.py. 8 a minute is 480 an hour, as fast as
  reviewers read code and still find what is wrong (300 to 500; the Cisco study in Cohen, "Best Kept Secrets of Peer
  Code Review", 2006).
- lines to write: those in which the model solution differs from the plain loop. A minute each, and half a minute for
  each check that is run and read. These two are ours: with them lessons 01 to 03 come out at 28, 30 and 33 minutes,
  where their authors say 30, 35 and 40.
"""

from __future__ import annotations

import difflib
import re
from typing import Any

from looplift.build.problem import Problem
from looplift.build.source import grade_id, read_source
from looplift.lesson import Lesson

WORDS_A_MINUTE = 175
LINES_READ_A_MINUTE = 8
MINUTES_A_LINE_WRITTEN = 1.0
MINUTES_A_CHECK = 0.5
_FAR = 2.0  # times
_WORD = re.compile(r"[\w.()]*\w")
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)


def check_minutes(lesson: Lesson) -> list[Problem]:
    """The header's minutes are off by more than twice. Raises BuildError when the source cannot be read."""
    notebook = read_source(lesson)
    given = notebook.metadata.looplift.get("minutes")
    if not isinstance(given, (int, float)) or isinstance(given, bool) or given <= 0:
        return []  # the header's check says so
    after = lesson.after.read_text(encoding="utf-8", errors="replace") if lesson.after.is_file() else ""
    guess = estimate(notebook.cells, after)
    if guess / _FAR <= given <= guess * _FAR:
        return []
    what = f"the header says {given:g} minutes, our estimate is {guess:.0f}"
    step = f"Write `minutes: {max(5, round(guess / 5) * 5)}`, or make the lesson shorter or longer."
    return [Problem(lesson.name, what, "exercise.py, header", step)]


def estimate(cells: list[Any], after: str) -> float:
    """Minutes that a lesson takes, from the cells of its source and its after.py."""
    words, read, checks = 0, _lines(after), 0
    for cell in cells:
        name = grade_id(cell)
        if cell.cell_type == "markdown":
            told = _FOLDED.sub("", cell.source)
            read += sum(_lines(fence) - 2 for fence in _FENCE.findall(told))
            words += len(_WORD.findall(_FENCE.sub("", told)))
        elif name.startswith("check-"):
            checks += 1
        elif name != "answer":
            read += _lines(cell.source)
    by_name = {grade_id(cell): cell.source for cell in cells}
    written = _differing(by_name.get("plain", ""), by_name.get("answer", ""))
    return (
        words / WORDS_A_MINUTE
        + read / LINES_READ_A_MINUTE
        + written * MINUTES_A_LINE_WRITTEN
        + checks * MINUTES_A_CHECK
    )


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _differing(plain: str, answer: str) -> int:
    """Lines that are written or taken out to make the one of the other."""
    old = [line.strip() for line in plain.splitlines() if line.strip()]
    new = [line.strip() for line in answer.splitlines() if line.strip() and "SOLUTION" not in line]
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for kind, a, b, c, d in opcodes if kind != "equal")
