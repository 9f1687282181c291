"""One run as seen afterwards: events by rank, and the steps they amount to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from looplift.evidence.integrity import RECORDER
from looplift.evidence.journal import Reader
from looplift.evidence.recorder import digest_of
from looplift.evidence.watch import Outcome
from looplift.hidden.plan import Plan
from looplift.submission import Submission
from looplift.verdict import Place

Event = dict[str, Any]


@dataclass(frozen=True)
class Batch:
    """Rows that a rank trained on or evaluated. iteration: which pass over a loader, counted by the rank."""

    iteration: int
    part: str
    ids: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One optimizer step of one rank.

    lr: per parameter group. through: made through a prepared optimizer. batches: those whose backward came since
    the step before. local, synchronised: the gradient as one number for each model, see spies.gradients.
    """

    lr: tuple[float, ...]
    through: bool
    batches: tuple[Batch, ...]
    local: dict[str, float]
    synchronised: dict[str, float]
    where: list[Any] | None


@dataclass(frozen=True)
class Run:
    """A run's evidence. Nothing here judges; the checks do."""

    plan: Plan
    submission: Submission
    folder: Path
    outcome: Outcome

    @cached_property
    def events(self) -> list[Event]:
        """Its record, in time order."""
        if self.outcome.events is not None:
            return list(self.outcome.events)
        return Reader(self.folder).all()

    def of(self, kind: str, rank: int | None = None, phase: str | None = None) -> Iterator[Event]:
        """Events of a kind in time order, of one rank or one phase when asked."""
        for event in self.events:
            if (
                event["kind"] == kind
                and (rank is None or event.get("rank") == rank)
                and (phase is None or event.get("phase") == phase)
            ):
                yield event

    def first(self, kind: str, rank: int | None = None, **having: Any) -> Event | None:
        """The first event of a kind whose fields are as given."""
        return next(
            (it for it in self.of(kind, rank) if all(it.get(key) == value for key, value in having.items())),
            None,
        )

    @cached_property
    def ranks(self) -> list[int]:
        """Ranks whose function was entered."""
        return sorted({event["rank"] for event in self.of("rank")})

    @cached_property
    def finished(self) -> bool:
        """True when every rank that was asked for returned from the function."""
        return {event["rank"] for event in self.of("returned")} == set(range(self.plan.processes))

    def place(self, where: list[Any] | None) -> Place | None:
        """Where an event lies in the student's file."""
        return self.submission.place(str(where[0]), int(where[1])) if where else None

    def steps(self, rank: int) -> list[Step]:
        """Optimizer steps of a rank, each with the batches whose backward fed it."""
        return self._steps.get(rank, [])

    @cached_property
    def _steps(self) -> dict[int, list[Step]]:
        found: dict[int, list[Step]] = {rank: [] for rank in self.ranks}
        current: dict[int, Batch | None] = dict.fromkeys(self.ranks)
        fed: dict[int, list[Batch]] = {rank: [] for rank in self.ranks}
        for event in self.events:
            rank = event.get("rank")
            if rank is None or rank not in found:
                continue
            if event["kind"] in ("batch", "fed"):
                current[rank] = Batch(event["iteration"], event["part"], tuple(event["ids"]))
            elif event["kind"] == "backward":
                batch = current[rank]
                if batch is not None and (not fed[rank] or fed[rank][-1] is not batch):
                    fed[rank].append(batch)
            elif event["kind"] == "step":
                numbers = event["gradients"]
                found[rank].append(
                    Step(
                        tuple(event["lr"]),
                        event["through"],
                        tuple(fed[rank]),
                        {key: value[0] for key, value in numbers.items()},
                        {key: value[1] for key, value in numbers.items()},
                        event["where"],
                    )
                )
                fed[rank] = []
        return found

    def evaluated(self, rank: int) -> list[list[int]]:
        """Row ids that a rank drew from the evaluation data, pass by pass."""
        passes: dict[int, list[int]] = {}
        for event in self.of("batch", rank):
            if event["part"] == "eval":
                passes.setdefault(event["iteration"], []).extend(event["ids"])
        return list(passes.values())

    def returned(self, rank: int) -> Any:
        """What the function returned on a rank: numbers as they are, other things by their type."""
        event = self.first("returned", rank)
        return event["value"] if event else None

    @cached_property
    def trained_model(self) -> int:
        """Index of the model that was trained: the last one that ran forward with gradients."""
        index = 0
        for event in self.of("forward"):
            if event["grad"]:
                index = int(event["model"])
        return index

    def weights(self, rank: int, model: int | None = None) -> dict[str, Any] | None:
        """Final weights of a rank's model, None when the rank did not get that far, or the file is not the record's."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        index = self.trained_model if model is None else model
        data = self._weights_file(rank, index)
        if data is None or not self._recorded(data, rank, index):
            return None
        try:
            return load(data)
        except SafetensorError:  # whoever had the digest of something else recorded
            return None

    def _weights_file(self, rank: int, index: int) -> bytes | None:
        try:
            return (self.folder / f"weights-{rank}-{index}.safetensors").read_bytes()
        except OSError:
            return None

    def _recorded(self, data: bytes, rank: int, index: int) -> bool:
        event = self.first("weights", rank, model=index)
        return event is not None and event["digest"] == digest_of(data)

    @cached_property
    def tampered(self) -> list[str]:
        """Names of what the submission replaced under the recorder."""
        return sorted(
            {str(name) for kind in ("done", "launched") for it in self.of(kind) for name in it["tampered"]}
        )

    @cached_property
    def smells(self) -> list[str]:
        """What was odd about the run, each as what was seen while it ran."""
        return sorted({*self.outcome.smells, *self.doubts})

    @cached_property
    def doubts(self) -> list[str]:
        """Why its record cannot be believed, nothing when it can: what is in it may be the submission's own making."""
        found = list(self.outcome.doubts)
        if self.first("forged"):
            found.append("something other than the recorder called for a line in the record of its run")
        ranks = {it["rank"]: it.get("pid") for it in self.of("rank")}
        if len(set(ranks.values())) < len(ranks):
            found.append("the record of its run tells of two ranks in one process")
        for event in self.of("weights"):
            data = self._weights_file(event["rank"], event["model"])
            if data is None or digest_of(data) != event["digest"]:
                found.append("its final weights were changed after they had been recorded")
        found += [f"the submission replaced {name}" for name in self.tampered if name.startswith(RECORDER)]
        return sorted(set(found))
