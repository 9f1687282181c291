"""What a rank did with its scheduler, and the learning rates that came of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from looplift.evidence import Run
from looplift.verdict import Place

Event = dict[str, Any]


@dataclass(frozen=True)
class Scheduler:
    """The scheduler of one rank of a run, as its events tell."""

    run: Run
    rank: int = 0

    @cached_property
    def rates(self) -> list[float]:
        """The learning rate at each optimizer step, of the first parameter group."""
        return [step.lr[0] for step in self.run.steps(self.rank)]

    @cached_property
    def moves(self) -> list[Event]:
        """Every move by one step of the schedule. A prepared scheduler makes several at each of its steps."""
        return list(self.run.of("schedule", self.rank, "loop"))

    @cached_property
    def made(self) -> Event | None:
        """The making of the scheduler: the last one before its first move."""
        until = self.moves[0]["at"] if self.moves else float("inf")
        made = [it for it in self.run.of("scheduler made", self.rank) if it["at"] < until]
        return made[-1] if made else None

    @cached_property
    def total(self) -> int | None:
        """Steps that the schedule was made for; None when the scheduler keeps no such number."""
        return self.made["total"] if self.made else None

    @cached_property
    def pace(self) -> int:
        """How often it moves between one optimizer step and the next, at most."""
        steps = [it["at"] for it in self.run.of("step", self.rank)]
        spans = pairwise([*steps, float("inf")])
        return max((sum(a < it["at"] < b for it in self.moves) for a, b in spans), default=0)

    @cached_property
    def through(self) -> bool:
        """Moved by a prepared scheduler."""
        return any(it["through"] for it in self.moves)

    @cached_property
    def passed(self) -> bool:
        """A scheduler was passed to prepare."""
        return any(it["role"] == "scheduler" for it in self.run.of("prepared", self.rank))

    @property
    def place(self) -> Place | None:
        """The line that steps it, or the one that makes it."""
        return next((self.run.place(it["where"]) for it in self.moves if it["where"]), self.origin)

    @property
    def origin(self) -> Place | None:
        """The line that makes it."""
        return self.run.place(self.made["where"]) if self.made else None
