"""Read a `.py` submission: a script, a percent script, or just the answer cell."""

from __future__ import annotations

import re
from pathlib import Path

from looplift.lesson import Lesson
from looplift.submission.cell import Cell, Submission, SubmissionError
from looplift.submission.magics import without_magics
from looplift.submission.notebook import ANSWER, GIVEN, is_to_be_written, read_file
from looplift.verdict import Place, Remark

_MARK = re.compile(r"^# %%(?P<head>.*)$")
_GRADE_ID = re.compile(r'"grade_id"\s*:\s*"(?P<id>[^"]+)"')


def _text(path: Path) -> str:
    try:
        return read_file(path).decode("utf-8")
    except UnicodeDecodeError:
        raise SubmissionError(
            "not-text", f"{path.name} is not a text file in UTF-8: save it as one."
        ) from None


def _cells(text: str) -> list[tuple[str, int, str]]:
    """(header, lines before it, source) for each part between `# %%` marks."""
    parts: list[tuple[str, int, list[str]]] = [("", 0, [])]
    for index, line in enumerate(text.split("\n")):
        mark = _MARK.match(line)
        if mark:
            parts.append((mark["head"], index + 1, []))
        else:
            parts[-1][2].append(line)
    return [(head, before, "\n".join(lines)) for head, before, lines in parts]


def read_script(path: Path, lesson: Lesson) -> Submission:
    """A script as it will be run, after the lesson's given cells. Raises SubmissionError when there is no code."""
    file = path.name
    kept = [Cell(lesson.cell_source(it), f"{file}#{it}", "given") for it in GIVEN]
    remarks: list[Remark] = []
    for head, before, body in _cells(_text(path)):
        found = _GRADE_ID.search(head)
        name = found["id"] if found else ""
        if "[markdown]" in head or name in GIVEN or name.startswith("check-"):
            continue
        if name == "launch" and not is_to_be_written(lesson, name):
            continue
        source, taken = without_magics(body)
        for line, text in taken:
            where = Place(file, line + before, None, text)
            remarks.append(Remark("magic-skipped", f"`{text}` is not Python and was skipped.", where))
        if source.strip():
            kept.append(Cell(source, f"{file}@{before}", "answer" if name == ANSWER else "own", None, before))
    if len(kept) == len(GIVEN):
        raise SubmissionError("no-code", f"{file} has no code in it: write training_loop there.")
    return Submission(file, tuple(kept), tuple(remarks))


def read_answer(path: Path, lesson: Lesson) -> Submission:
    """A file that holds just what a student would type into the answer cell."""
    source, taken = without_magics(_text(path))
    given = [Cell(lesson.cell_source(it), f"{path.name}#{it}", "given") for it in GIVEN]
    remarks = [
        Remark(
            "magic-skipped", f"`{text}` is not Python and was skipped.", Place(path.name, line, None, text)
        )
        for line, text in taken
    ]
    return Submission(path.name, (*given, Cell(source, f"{path.name}@0", "answer")), tuple(remarks))
