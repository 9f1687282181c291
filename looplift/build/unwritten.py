"""What `looplift new-lesson` left for the author to write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from looplift.build.answers import answers_of
from looplift.build.problem import Problem
from looplift.build.source import source_path
from looplift.lesson import Lesson

MARK = "Write here:"  # what follows, on the same line, says what belongs there


def check_written(lesson: Lesson) -> list[Problem]:
    """Each place where the scaffold's own words still stand."""
    answers = [(answer.path, answer.place) for answer in answers_of(lesson)]
    source = (source_path(lesson), f"solutions/{lesson.name}/exercise.py")
    pair = [(path, f"lessons/{lesson.name}/{path.name}") for path in _pair(lesson)]
    graded = (lesson.graded, f"tests/graded/{lesson.graded.name}")
    problems = []
    for path, where in (*pair, source, graded, *answers):
        for number, words in _unwritten(path):
            step = f"Write it, and take the words `{MARK}` away."
            what = f"this is still the scaffold's: {words}"
            problems.append(Problem(lesson.name, what, f"{where}, line {number}", step))
    return problems


def _pair(lesson: Lesson) -> tuple[Path, ...]:
    return (lesson.task, lesson.before, lesson.after, lesson.folder / "diff.toml")


def _unwritten(path: Path) -> Iterator[tuple[int, str]]:
    if path.is_file():
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if MARK in line:
                yield number, line.split(MARK, 1)[1].strip().rstrip('"')
