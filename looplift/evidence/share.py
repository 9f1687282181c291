"""How far a run has come: one share for all of its processes together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from looplift.hidden.plan import Plan

STEP = 5  # percent; smaller steps are not told


class Share:
    """Tells, while a run goes on, what share of the training rows its ranks have drawn, all epochs and ranks together.

    tell: given a few words, such as `training_loop on 2 processes: 40 %`. A loop that draws more rows than it should
    stays at 100.
    """

    def __init__(self, what: str, plan: Plan, tell: Callable[[str], None]) -> None:
        self._what, self._tell = what, tell
        self._all = max(1, plan.sizes.epochs * plan.sizes.train_rows)
        self._drawn = 0
        self._told = 0

    def __call__(self, events: Iterable[dict[str, Any]]) -> None:
        """Take in what the ranks have written since the last time."""
        for event in events:
            if event["kind"] == "batch" and event.get("part") == "train" and event.get("phase") == "loop":
                self._drawn += len(event["ids"])
        percent = min(100, 100 * self._drawn // self._all // STEP * STEP)
        if percent > self._told:
            self._told = percent
            self._tell(f"{self._what}: {percent} %")
