"""What a notebook shows of a log: drawings where it can, a table of numbers where it cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from looplift.curve.drawing import svg
from looplift.curve.reading import Curve, read_curves

COLUMNS = 5  # values of a curve that the table shows


@dataclass(frozen=True, repr=False)
class LogView:
    """The curves that were found in a folder."""

    folder: str
    curves: tuple[Curve, ...]

    def __repr__(self) -> str:
        return "\n".join(map(in_words, self.curves)) or self._nothing()

    def _nothing(self) -> str:
        return f"There are no numbers in a log below {self.folder} yet."

    def _repr_html_(self) -> str:
        """A fragment: a drawing for each tag, and below it every curve in words."""
        if not self.curves:
            return f"<p>{escape(self._nothing())}</p>"
        parts = []
        for tag, found in groupby(self.curves, key=lambda it: it.tag):
            curves = list(found)
            words = [in_words(it) for it in curves]
            id = "log-" + hashlib.sha256(f"{self.folder} {words}".encode()).hexdigest()[:8]
            items = "".join(f"<li>{escape(it)}</li>" for it in words)
            parts.append(
                f'<figure style="margin:0 0 1em" aria-label="{escape(tag)}">{svg(curves, id, " ".join(words))}'
                f"<figcaption><ul>{items}</ul></figcaption></figure>"
            )
        return "\n".join(parts)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def in_words(curve: Curve) -> str:
    """One curve in a line: how many steps, and some of its values."""
    count = len(curve.points)
    shown = ", ".join(f"{value:.3f} at step {step}" for step, value in _some(curve.points))
    return f"{curve.tag} in {curve.log}: {count} value{'s' if count != 1 else ''}; {shown}."


def _some(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """The first point, the last, and a few between them."""
    if len(points) <= COLUMNS:
        return list(points)
    return [points[round(at * (len(points) - 1) / (COLUMNS - 1))] for at in range(COLUMNS)]


def show_log(folder: str | Path) -> LogView:
    """The curves in the logs of TensorBoard in a folder and below it, to be shown in a notebook.

    Each tag has a drawing, with one line for each log.
    """
    return LogView(str(folder), tuple(read_curves(folder)))
