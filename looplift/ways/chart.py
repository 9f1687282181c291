"""Ways side by side: ease upwards, freedom to the right, each point where it was measured."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from looplift.ways.way import Way

WIDTH, HEIGHT = 660, 400  # of the drawing, in its own units
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 30, 60  # margins
ROOM = 40  # that two lines of words take
MARKS = (
    '<rect x="-7" y="-7" width="14" height="14" fill="#1f5fa8"/>',
    '<circle r="8" fill="#a8431f"/>',
    '<path d="M0 -9 L9 7 L-9 7 Z" fill="#2c7a3f"/>',
)
_STYLE = "font: 14px sans-serif; background: #ffffff; color: #1c1c1c; max-width: 100%; height: auto"


@dataclass(frozen=True, repr=False)
class Ways:
    """What a notebook shows: a drawing where it can, a table in plain text everywhere."""

    ways: tuple[Way, ...]

    def __repr__(self) -> str:
        rows = [("", "you write", "run for each batch", "runs on", "")]
        rows += [
            (it.name, f"{it.statements} statements", str(it.each_batch), it.devices, it.said)
            for it in self.ways
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join(
            "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )

    def _repr_html_(self) -> str:
        """The drawing, with the table below it: every number is to be read as text, too."""
        return f'<figure style="margin: 0">{self.drawing()}<pre>{escape(repr(self))}</pre></figure>'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def drawing(self) -> str:
        """An SVG. Upwards: fewer statements to write. To the right: more of them run for each batch."""
        most_free = max((it.each_batch for it in self.ways), default=0) + 1
        most_lines = max((it.statements for it in self.ways), default=0) + 5
        places = [
            (
                LEFT + 20 + it.each_batch / most_free * (WIDTH - LEFT - RIGHT - 20),
                TOP + it.statements / most_lines * (HEIGHT - TOP - BOTTOM),
            )
            for it in self.ways
        ]
        points = "".join(
            _point(way, MARKS[index % len(MARKS)], places[index], _label(index, places))
            for index, way in enumerate(self.ways)
        )
        words = "; ".join(
            f"{it.name}: {it.statements} statements to write, {it.each_batch} run for each batch, on {it.devices}"
            for it in self.ways
        )
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
            f'aria-label="Ease against freedom. {escape(words, quote=True)}" style="{_STYLE}">'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
            f'<path d="M{LEFT} {TOP} V{bottom} H{right}" fill="none" stroke="#555555" stroke-width="1.5"/>'
            f'<text x="{right}" y="{bottom + 40}" text-anchor="end" fill="#1c1c1c">'
            "freedom: your statements that run for each batch →</text>"
            f'<text transform="translate({LEFT - 40} {TOP}) rotate(-90)" text-anchor="end" fill="#1c1c1c">'
            f"ease: fewer to write →</text>{points}</svg>"
        )


def _label(index: int, places: list[tuple[float, float]]) -> float:
    """How far a point's words are moved up or down, so that neighbours do not write over each other."""
    own = places[index]
    near = [it for it in places if it != own and abs(it[1] - own[1]) < ROOM and abs(it[0] - own[0]) < RIGHT]
    if not near:
        return 0.0
    return ROOM / 2 if own[1] >= max(it[1] for it in near) else -ROOM / 2


def _point(way: Way, mark: str, place: tuple[float, float], shift: float) -> str:
    line = f'<path d="M8 0 L22 {shift:.0f}" stroke="#555555"/>' if shift else ""
    return (
        f'<g transform="translate({place[0]:.0f} {place[1]:.0f})">{line}{mark}'
        f'<text x="26" y="{shift:.0f}" fill="#1c1c1c" font-weight="bold">{escape(way.name)}</text>'
        f'<text x="26" y="{shift + 17:.0f}" fill="#1c1c1c">{escape(way.devices)}</text></g>'
    )
