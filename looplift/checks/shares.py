"""A loss whose rows weigh by what all processes count together: whether each row weighs what it does in the plain loop.

Looked at are the ranks' own gradients, on average, before anything shared or clipped them: whether the loss is right
does not depend on whether the model was prepared. Only the first step that differs is looked at; up to there the
weights are the plain loop's.
"""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.accumulation import first_apart, own_gradients, used_gradients
from looplift.checks.endings import complete
from looplift.checks.gradients import SHARED, backward_place
from looplift.checks.points import Mend, on_one_process
from looplift.checks.reference import plain_run
from looplift.checks.rows import as_planned, global_batches
from looplift.evidence import Evidence, Run
from looplift.verdict import Finding


def _own_rows_only(run: Run, evidence: Evidence, step: int) -> float:
    """The gradient of a step, on average over the ranks, if each of them counted its own rows only."""
    epochs, found = global_batches(run), []
    for rank in run.ranks:
        own = [list(ids) for batch in run.steps(rank)[step].batches for ids in (batch.ids,)]
        before, left = [], step
        for epoch in epochs:  # the steps before are the plain loop's; then comes the rank's own batch
            before.append(epoch[:left])
            left -= len(before[-1])
            if left == 0 and len(before[-1]) < len(epoch):
                break
        before[-1] = [*before[-1], *own]
        before += [[]] * (len(epochs) - len(before))
        alone = evidence.reference(before, 1, max(map(len, epochs)))
        found.append(alone.steps(0)[step].synchronised.get("0", 0.0))
    return sum(found) / len(found)


def weighed_together(run: Run, evidence: Evidence) -> None:
    """Rows weigh by the counts of all processes, and the parts of the loss add up to it. Raises Mend with the cause."""
    with on_one_process(run.plan.processes):
        complete(run)
        found = solo(run) or as_planned(run)
        if found:
            raise Mend(found)
        mine, theirs = own_gradients(run), own_gradients(plain_run(run, evidence))
        apart = first_apart(mine, theirs)
        if apart is None or first_apart(used_gradients(run), theirs) is None:
            return  # the second: what is missing is made up for in the gradients, after backward
        found = _unlike(run, evidence, apart, mine[apart], theirs[apart])
        if found is not None:
            raise Mend(found)


def _scaled_alone(evidence: Evidence, factor: float) -> bool:
    """Whether the gradient is as many times too large on one process, too: then averaging is not the cause."""
    run = evidence.on(processes=1)
    if not run.finished or as_planned(run):
        return False
    mine, theirs = own_gradients(run)[0], own_gradients(plain_run(run, evidence))[0]
    return abs(mine - factor * theirs) <= SHARED * abs(mine)


def _unlike(run: Run, evidence: Evidence, step: int, mine: float, theirs: float) -> Finding | None:
    """What is the matter with the loss, from the first step whose gradient differs. None where it may be anything
    else: the weights of a later step differ for many reasons."""
    where, count = backward_place(run), run.plan.processes
    size = max(abs(mine), abs(theirs))
    expected = "rows that weigh what they do in the plain loop at the same global batch"
    which = f"from step {step + 1} on " if step else ""
    if count > 1:
        own = _own_rows_only(run, evidence, step)
        if any(abs(mine - factor * own) <= SHARED * size for factor in (1, count, 1 / count)):
            return Finding(
                "counted-own-rows", f"{which}each process counts only its own rows in the loss", expected,
                f"a row weighs by the {count}th part of the step that its process happened to get", where,
                "count the rows of all processes: accelerator.reduce(counts, \"sum\")",
            )  # fmt: skip
        for factor, said, advice in (
            (1 / count, f"{count} times too small", "multiply the part by accelerator.num_processes before backward"),
            (count, f"{count} times too large", "make up for the averaging once, not twice"),
        ):  # fmt: skip
            if abs(mine - factor * theirs) <= SHARED * size and not _scaled_alone(evidence, factor):
                return Finding(
                    "parts-averaged", f"{which}the gradient is {said}", expected,
                    "each process has its part of a sum, and backward averages the parts", where, advice,
                )  # fmt: skip
    if step:
        return None
    return Finding(
        "weighed-otherwise", "the rows do not weigh what they do in the plain loop", expected,
        "the loss is another one", where,
        "weigh a row by 1 over the number of rows of its class in the whole step, and add up",
    )  # fmt: skip
