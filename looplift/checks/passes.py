"""The passes over a loader that a run trained from, and the epoch that each step belongs to."""

from __future__ import annotations

from looplift.evidence import Run, Step
from looplift.verdict import Place


def steps_of(run: Run, network: int, rank: int = 0) -> list[Step]:
    """The steps of a rank that moved a network, by its place among the task's networks."""
    count = len(run.plan.networks) or 1
    return [step for step in run.steps(rank) if any(int(key) % count == network for key in step.synchronised)]


def lead_steps(run: Run, rank: int = 0) -> list[Step]:
    """The steps that tell which rows were trained on: all of them, or those of the first of several networks."""
    return steps_of(run, 0, rank) if run.plan.networks else run.steps(rank)


def loop_place(run: Run) -> Place | None:
    """The line that draws training batches."""
    for rank in run.ranks:
        for step in run.steps(rank):
            if step.batches:
                event = run.first("iteration", rank, number=step.batches[0].iteration)
                return run.place(event["where"]) if event else None
    return None


def passes(run: Run) -> list[int]:
    """The passes over a loader that rank 0 trained from, in their order."""
    return list(dict.fromkeys(batch.iteration for step in lead_steps(run) for batch in step.batches))


def step_epochs(run: Run) -> list[int]:
    """The epoch of each step of rank 0, from 0 to `epochs - 1`.

    Passes over the loader tell, when there are as many as epochs. An endless iterator, or a list that is gone
    through again and again, is dealt out evenly.
    """
    steps, wanted, seen = lead_steps(run), run.plan.sizes.epochs, passes(run)
    if len(seen) != wanted:
        share = max(1, -(-len(steps) // wanted))
        return [min(index // share, wanted - 1) for index in range(len(steps))]
    epochs: list[int] = []
    for step in steps:
        before = epochs[-1] if epochs else 0
        epochs.append(seen.index(step.batches[0].iteration) if step.batches else before)
    return epochs
