"""Words of two lines of code: how alike the lines are, and which words differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import NamedTuple

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_PUNCTUATION_WEIGHT = 0.5  # every line has brackets and dots: they say little about what the line is


class Span(NamedTuple):
    """Characters `start` up to, not including, `end` of a line."""

    start: int
    end: int


def likeness(left: str, right: str) -> float:
    """How alike two lines are, from 0 (nothing in common) to 1 (equal but for indentation).

    The mean of two shares of common words: in the same order, and in any order, so that
    `loss.backward()` finds `accelerator.backward(loss)`. Comments are never like code.
    """
    left, right = left.strip(), right.strip()
    if left == right:
        return 1.0
    if not left or not right or left.startswith("#") != right.startswith("#"):
        return 0.0
    ours = [token for token in _TOKEN.findall(left) if not token.isspace()]
    theirs = [token for token in _TOKEN.findall(right) if not token.isspace()]
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    in_order = sum(_weight(ours[block.a : block.a + block.size]) for block in blocks)
    in_any_order = _weight((Counter(ours) & Counter(theirs)).elements())
    return (in_order + in_any_order) / (_weight(ours) + _weight(theirs))


def changed_words(left: str, right: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Spans of `left` that are not in `right`, and of `right` that are not in `left`."""
    ours, theirs = _TOKEN.findall(left), _TOKEN.findall(right)
    gone: list[Span] = []
    come: list[Span] = []
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, left_from, left_to, right_from, right_to in matcher.get_opcodes():
        if tag != "equal":
            gone.append(_span(ours, left_from, left_to))
            come.append(_span(theirs, right_from, right_to))
    return _joined(gone, left), _joined(come, right)


def _weight(tokens: Iterable[str]) -> float:
    return sum(len(token) if token[0].isalnum() else _PUNCTUATION_WEIGHT for token in tokens)


def _span(tokens: list[str], first: int, end: int) -> Span:
    start = sum(map(len, tokens[:first]))
    return Span(start, start + sum(map(len, tokens[first:end])))


def _joined(spans: list[Span], line: str) -> tuple[Span, ...]:
    """Join spans that only white space parts, and trim white space off their ends."""
    found: list[Span] = []
    for span in (_trimmed(span, line) for span in spans if span.start < span.end):
        if found and not line[found[-1].end : span.start].strip():
            found[-1] = Span(found[-1].start, span.end)
        else:
            found.append(span)
    return tuple(found)


def _trimmed(span: Span, line: str) -> Span:
    text = line[span.start : span.end]
    if not text.strip():  # only white space changed, such as the indentation: that is the change
        return span
    return Span(span.end - len(text.lstrip()), span.start + len(text.rstrip()))
