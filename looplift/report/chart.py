"""Charts of a report, drawn in the page itself; each says in words what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from looplift.report.report import LessonReport
from looplift.verdict.text import number

_BINS = 10
_WIDE, _HIGH = 400, 120  # units of the drawing, which grows with the page
_ABOVE, _BELOW = 18, 20  # room for the counts and for the points


def bar(part: float, whole: float, kind: str) -> str:
    """A bar for a table's cell. What it shows stands in words beside it, so it is hidden from screen readers."""
    share = min(max(part / whole, 0.0), 1.0) if whole else 0.0
    return (
        f'<span class="bar" aria-hidden="true"><span class="{kind}" style="inline-size:{share:.1%}">'
        "</span></span>"
    )


def points_chart(lesson: LessonReport, id: str) -> str:
    """How many have how many points: a drawing with a title and, for those who cannot see it, every count."""
    counts = distribution(lesson)
    if not any(counts):
        return ""
    step, room = _WIDE / len(counts), _HIGH - _ABOVE - _BELOW
    bars = []
    for at, count in enumerate(counts):
        height = room * count / max(counts)
        left, top = at * step + 2, _ABOVE + room - height
        bars.append(
            f'<rect class="of" x="{left:.1f}" y="{top:.1f}" width="{step - 4:.1f}" height="{height:.1f}"/>'
        )
        if count:
            middle = left + step / 2 - 2
            bars.append(f'<text x="{middle:.1f}" y="{top - 4:.1f}" text-anchor="middle">{count}</text>')
    floor = _ABOVE + room
    return (
        f'<figure><svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-labelledby="{id}-title {id}-words">'
        f'<title id="{id}-title">Points in {escape(lesson.name)}</title>'
        f'<desc id="{id}-words">{escape(in_words(lesson, counts))}</desc>'
        f'{"".join(bars)}<path class="floor" d="M0 {floor} H{_WIDE}"/>'
        f'<text x="0" y="{_HIGH - 5}">0 points</text>'
        f'<text x="{_WIDE}" y="{_HIGH - 5}" text-anchor="end">{number(lesson.possible)}</text></svg>'
        "<figcaption>Students by their points</figcaption></figure>"
    )


def distribution(lesson: LessonReport) -> list[int]:
    """How many of those who handed in are in each tenth of the points; all of them and more are in the last."""
    counts = [0] * _BINS
    for entry in lesson.handed_in:
        share = entry.points / lesson.possible if lesson.possible else 0.0
        counts[min(max(int(share * _BINS), 0), _BINS - 1)] += 1
    return counts


def in_words(lesson: LessonReport, counts: Sequence[int]) -> str:
    """The distribution as a sentence; empty tenths are left out."""
    width = lesson.possible / len(counts)
    said = []
    for at, count in enumerate(counts):
        if not count:
            continue
        upto = f"to under {number((at + 1) * width)}" if at + 1 < len(counts) else "and more"
        said.append(f"{count} with {number(at * width)} {upto} points")
    return "; ".join(said) + "."
