"""The losses that the ranks went backward with, and what a log of them should hold."""

from __future__ import annotations

from looplift.checks.logbook import close
from looplift.evidence import Run

Losses = list[float]


def losses_of(run: Run, rank: int) -> Losses:
    """The loss with which a rank went backward before each of its steps."""
    found, now = [], 0.0
    for event in run.events:
        if event.get("rank") != rank:
            continue
        if event["kind"] == "backward" and event.get("loss") is not None:
            now = float(event["loss"])
        elif event["kind"] == "step":
            found.append(now)
    return found


def weights_of(run: Run, step: int, seen: set[int]) -> list[int]:
    """How many rows of a step each rank saw that were not there before in this epoch: those that only fill up the
    last batch count for nothing."""
    found = []
    for rank in run.ranks:
        ids = [it for batch in run.steps(rank)[step].batches for it in batch.ids]
        found.append(len([it for it in ids if it not in seen]))
        seen.update(ids)
    return found


class Wanted:
    """What each step's value may be, and what it is when it is made wrongly."""

    def __init__(self, run: Run) -> None:
        self.own = [losses_of(run, rank) for rank in run.ranks]
        self.count = min(map(len, self.own), default=0)
        self.steps = [tuple(each[step] for each in self.own) for step in range(self.count)]
        self.means = [sum(it) / len(it) for it in self.steps]
        self.rows = self._by_rows(run)
        self.epochs = self._epochs(run)

    def _by_rows(self, run: Run) -> Losses:
        """The means over rows, each row once."""
        found, seen, iteration = [], set[int](), None
        for step, losses in enumerate(self.steps):
            batches = run.steps(run.ranks[0])[step].batches
            if batches and batches[0].iteration != iteration:
                seen, iteration = set(), batches[0].iteration
            weights = weights_of(run, step, seen)
            whole = sum(weights)
            pairs = zip(weights, losses, strict=True)
            found.append(sum(a * b for a, b in pairs) / whole if whole else self.means[step])
        return found

    def _epochs(self, run: Run) -> list[int]:
        """The steps at which an epoch begins."""
        passes = [
            it.batches[0].iteration if it.batches else 0 for it in run.steps(run.ranks[0])[: self.count]
        ]
        return [step for step, it in enumerate(passes) if step == 0 or it != passes[step - 1]]

    def fits(self, step: int, value: float) -> bool:
        return close(value, self.means[step]) or close(value, self.rows[step])

    def running(self, again: bool) -> Losses:
        """Running means of the means. again: begun anew in each epoch."""
        found: Losses = []
        part: Losses = []
        for step, mean in enumerate(self.means):
            part = [mean] if again and step in self.epochs else [*part, mean]
            found.append(sum(part) / len(part))
        return found
