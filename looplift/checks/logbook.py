"""What was written into a training's log, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from looplift.evidence import Run
from looplift.evidence.run import Event

CLOSE = 1e-5  # relative; a log keeps numbers in float32


def close(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * max(abs(one), abs(other), 1e-6)


@dataclass(frozen=True)
class Value:
    """One number in the log, under the number of its step."""

    step: int
    value: float
    event: Event


@dataclass(frozen=True)
class Logbook:
    """The log of a run. rank: whose writers count, the first one's that opened any."""

    run: Run

    @cached_property
    def opened(self) -> list[Event]:
        """Every opening of an event file while the function ran."""
        return list(self.run.of("log opened", phase="loop"))

    @property
    def ranks(self) -> list[int]:
        """Ranks that opened one."""
        return sorted({it["rank"] for it in self.opened})

    @property
    def rank(self) -> int:
        return self.ranks[0] if self.ranks else 0

    @cached_property
    def series(self) -> dict[str, list[Value]]:
        """The numbers under each name, in the order in which they were written."""
        found: dict[str, list[Value]] = {}
        for it in self.run.of("logged", self.rank, "loop"):
            found.setdefault(it["tag"], []).append(Value(it["step"], it["value"], it))
        return found

    @cached_property
    def hyperparameters(self) -> list[Any]:
        """The values of all hyperparameters that were stored."""
        events = self.run.of("hyperparameters", self.rank, "loop")
        return [value for it in events for value in it["values"].values()]

    @cached_property
    def texts(self) -> str:
        return "\n".join(it["text"] for it in self.run.of("log text", self.rank, "loop"))

    def left_open(self) -> list[Event]:
        """Openings of writers that were not closed after their last value."""
        ended: dict[int, float] = {it["writer"]: it["at"] for it in self.run.of("log closed", self.rank)}
        logged = self.run.of("logged", self.rank, "loop")
        last: dict[int, float] = {it["writer"]: it["at"] for it in logged}
        mine = [it for it in self.opened if it["rank"] == self.rank]
        return [it for it in mine if ended.get(it["writer"], 0.0) < last.get(it["writer"], float(it["at"]))]

    def unwritten(self, writer: int) -> int:
        """How many values a writer holds that never got into its file."""
        kinds = ("log flushed", "log closed")
        saved = max(
            (
                float(it["at"])
                for kind in kinds
                for it in self.run.of(kind, self.rank)
                if it["writer"] == writer
            ),
            default=0.0,
        )
        return sum(
            it["writer"] == writer and it["at"] > saved for it in self.run.of("logged", self.rank, "loop")
        )

    def calls(self, name: str) -> list[Event]:
        """Calls of `accelerator.init_trackers`, `log` or `end_training` on the main process."""
        return [it for it in self.run.of("tracker", 0, "loop") if it["name"] == name]
