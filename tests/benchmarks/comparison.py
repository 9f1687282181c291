"""Ours against a named peer, measured in one run, as a small table with the ratio and the target."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from cost import Cost, middle

PACKAGES = ("looplift", "torch", "accelerate", "transformers", "nbgrader")


@dataclass(frozen=True)
class Comparison:
    """Pairs of measurements, each taken right after the other.

    target: the ratio that must not be exceeded, None when the comparison only tells something.
    """

    what: str
    ours: tuple[Cost, ...]
    peer: tuple[Cost, ...]
    target: float | None = None

    def __post_init__(self) -> None:
        if not self.ours or len(self.ours) != len(self.peer):
            raise ValueError(
                f"{self.what}: {len(self.ours)} measurements of ours, {len(self.peer)} of the peer"
            )

    @property
    def clock_ratio(self) -> float:
        """Median over the pairs: load that comes and goes touches both halves of a pair."""
        return statistics.median(a.clock / b.clock for a, b in zip(self.ours, self.peer, strict=True))

    @property
    def processor_ratio(self) -> float:
        """The same of processor time, which a busy machine disturbs less."""
        return statistics.median(a.processor / b.processor for a, b in zip(self.ours, self.peer, strict=True))

    @property
    def outcome(self) -> tuple[str, str]:
        """(target, whether it is met), as they stand in the table."""
        if self.target is None:
            return "", ""
        return f"<= {self.target:g}", "met" if self.clock_ratio <= self.target else "MISSED"


def _seconds(cost: Cost) -> str:
    unit, factor = ("ms", 1000) if cost.clock < 0.1 else ("s", 1)
    return f"{cost.clock * factor:.2f} {unit} ({cost.processor * factor:.2f})"


def table(ours: str, peer: str, comparisons: Sequence[Comparison]) -> str:
    """The table: a line for each comparison; clock first, processor time in brackets."""
    heads = ("", "ours", "peer", "ratio", "target", "")
    rows = [heads]
    for it in comparisons:
        rows.append(
            (
                it.what,
                _seconds(middle(it.ours)),
                _seconds(middle(it.peer)),
                f"{it.clock_ratio:.2f} ({it.processor_ratio:.2f})",
                *it.outcome,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    pairs = len(comparisons[0].ours)
    return "\n".join(
        [
            f"ours: {ours}",
            f"peer: {peer}",
            f"by the clock, and in brackets processor time; median of {pairs} pair{'s' if pairs > 1 else ''}",
            "",
            *lines,
            "",
            surroundings(),
        ]
    )


def surroundings() -> str:
    """Where this was measured; the ratios of a busy machine scatter."""
    packages = ", ".join(f"{it} {version(it)}" for it in PACKAGES)
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    warning = "" if load <= cores else "  (busy: measure again when it is quiet)"
    return f"python {platform.python_version()}, {packages}\n{cores} cores, load {load:.1f}{warning}"
