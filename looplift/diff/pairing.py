"""Pairing: which line of one program stands beside which line of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from looplift.diff.words import Span, changed_words, likeness

Kind = Literal["same", "changed", "removed", "added"]
ALIKE = 0.5  # less alike than this, two lines are one removed and one added, not one changed


@dataclass(frozen=True)
class Line:
    """A numbered line of one program; `marks` are its words that the other program has not."""

    number: int
    text: str
    marks: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Row:
    """Two lines side by side. A removed row has no right line, an added row no left line."""

    kind: Kind
    left: Line | None
    right: Line | None


def pair_lines(left: Sequence[str], right: Sequence[str]) -> tuple[Row, ...]:
    """Rows that hold every line of both programs once, in order."""
    rows: list[Row] = []
    # Lines without a word (blank, a closing bracket) are everywhere: they may not anchor the alignment.
    matcher = SequenceMatcher(_wordless, left, right, autojunk=False)
    for tag, left_from, left_to, right_from, right_to in matcher.get_opcodes():
        ours = [Line(at + 1, left[at]) for at in range(left_from, left_to)]
        theirs = [Line(at + 1, right[at]) for at in range(right_from, right_to)]
        if tag == "equal":
            rows += [Row("same", mine, other) for mine, other in zip(ours, theirs, strict=True)]
        else:
            rows += _pair_block(ours, theirs)
    return tuple(rows)


def _wordless(line: str) -> bool:
    return not any(character.isalnum() for character in line)


def _pair_block(ours: list[Line], theirs: list[Line]) -> list[Row]:
    """Pair the like lines of a block that differs; the rest is removed or added, in order."""
    rows: list[Row] = []
    left = right = 0
    for at, other in [*_best_pairs(ours, theirs), (len(ours), len(theirs))]:
        rows += [Row("removed", line, None) for line in ours[left:at]]
        rows += [Row("added", None, line) for line in theirs[right:other]]
        if at < len(ours):
            rows.append(_pair(ours[at], theirs[other]))
        left, right = at + 1, other + 1
    return rows


def _pair(mine: Line, other: Line) -> Row:
    if mine.text == other.text:
        return Row("same", mine, other)
    gone, come = changed_words(mine.text, other.text)
    return Row("changed", Line(mine.number, mine.text, gone), Line(other.number, other.text, come))


def _best_pairs(ours: list[Line], theirs: list[Line]) -> list[tuple[int, int]]:
    """Pairs in order that have the most in common, by dynamic programming as in sequence alignment."""
    wide = len(theirs) + 1
    best = [[0.0] * wide for _ in range(len(ours) + 1)]
    alike = [[likeness(mine.text, other.text) for other in theirs] for mine in ours]
    for at in reversed(range(len(ours))):
        for other in reversed(range(len(theirs))):
            apart = max(best[at + 1][other], best[at][other + 1])
            together = best[at + 1][other + 1] + alike[at][other]
            best[at][other] = max(apart, together) if alike[at][other] >= ALIKE else apart
    pairs: list[tuple[int, int]] = []
    at = other = 0
    while at < len(ours) and other < len(theirs):
        if best[at][other] == best[at + 1][other]:
            at += 1
        elif best[at][other] == best[at][other + 1]:
            other += 1
        else:
            pairs.append((at, other))
            at, other = at + 1, other + 1
    return pairs
