"""Curves as SVG, in the page itself. Each has a dash of its own and its name at its end; colour only repeats that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from looplift.curve.reading import Curve

WIDE, HIGH = 640, 260  # units of the drawing, which grows with the page
_LEFT, _RIGHT, _ABOVE, _BELOW = 58, 130, 30, 40
# On white and on Jupyter's dark background at least 3:1, the least that a line should have (WCAG 1.4.11).
_LOOKS = (("#2f76c4", "none"), ("#c2571a", "7 4"), ("#2e8b57", "2 3"), ("#8a63d2", "10 3 2 3"))


def svg(curves: Sequence[Curve], id: str, words: str) -> str:
    """The curves of one tag, from several logs. words: what they show, for those who cannot see it."""
    drawn = [it for it in curves if any(map(math.isfinite, it.values))]
    if not drawn:
        return ""
    steps = [step for it in drawn for step in it.steps]
    values = [value for it in drawn for value in it.values if math.isfinite(value)]
    across, up = _Axis(steps, _LEFT, WIDE - _RIGHT), _Axis(values, HIGH - _BELOW, _ABOVE)
    tag = drawn[0].tag
    lines = [_line(it, *_LOOKS[at % len(_LOOKS)], across, up) for at, it in enumerate(drawn)]
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" role="img" aria-labelledby="{id}-title {id}-words" '
        'style="max-width:100%;height:auto;font:12px sans-serif" fill="currentColor">'
        f'<title id="{id}-title">{escape(tag)}</title><desc id="{id}-words">{escape(words)}</desc>'
        f"{_axes(across, up, tag)}{''.join(lines)}{_names(drawn, up)}</svg>"
    )


class _Axis:
    """From values to places between two ends of the drawing."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self.low, self.high = min(values), max(values)
        self._begin, self._end = begin, end
        self._room = (self.high - self.low) or 1.0

    def at(self, value: float) -> float:
        return round(self._begin + (value - self.low) / self._room * (self._end - self._begin), 1)


def _axes(across: _Axis, up: _Axis, tag: str) -> str:
    floor, right = HIGH - _BELOW, WIDE - _RIGHT
    return (
        f'<path d="M{_LEFT} {_ABOVE} V{floor} H{right}" fill="none" stroke="currentColor"/>'
        f'<text x="{_LEFT - 6}" y="{_ABOVE + 8}" text-anchor="end">{up.high:.3g}</text>'
        f'<text x="{_LEFT - 6}" y="{floor}" text-anchor="end">{up.low:.3g}</text>'
        f'<text x="{_LEFT}" y="{floor + 16}">{across.low:g}</text>'
        f'<text x="{right}" y="{floor + 16}" text-anchor="end">{across.high:g}</text>'
        f'<text x="{(_LEFT + right) / 2:g}" y="{floor + 32}" text-anchor="middle">step</text>'
        f'<text x="{_LEFT}" y="{_ABOVE - 12}" font-weight="bold">{escape(tag)}</text>'
    )


def _line(curve: Curve, colour: str, dash: str, across: _Axis, up: _Axis) -> str:
    points = [f"{across.at(step)},{up.at(value)}" for step, value in curve.points if math.isfinite(value)]
    look = f'fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dash}"'
    dot = points[-1].split(",")
    return (
        f'<polyline points="{" ".join(points)}" {look}/>'
        f'<circle cx="{dot[0]}" cy="{dot[1]}" r="2.5" fill="{colour}"/>'
    )


def _names(curves: Sequence[Curve], up: _Axis) -> str:
    """The name of each log beside the drawing, with a piece of its line, in the order of the curves' ends."""
    looks = {it.log: _LOOKS[at % len(_LOOKS)] for at, it in enumerate(curves)}
    parts = []
    for at, it in enumerate(sorted(curves, key=lambda it: -_last(it))):
        colour, dash = looks[it.log]
        left, top = WIDE - _RIGHT + 10, _ABOVE + 12 + 18 * at
        parts.append(
            f'<path d="M{left} {top - 4} h24" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dash}"/>'
            f'<text x="{left + 30}" y="{top}">{escape(_short(it.log))}</text>'
        )
    return "".join(parts)


def _last(curve: Curve) -> float:
    return next((it for it in reversed(curve.values) if math.isfinite(it)), 0.0)


def _short(name: str) -> str:
    return name if len(name) <= 14 else name[:13] + "…"
