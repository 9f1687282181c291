"""The learning rate at each optimizer step."""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.counting import other_length, other_pace
from looplift.checks.endings import complete
from looplift.checks.lines import argument
from looplift.checks.points import Mend, on_one_process
from looplift.checks.reference import close, plain_run, same_rates
from looplift.checks.rows import as_planned
from looplift.checks.scheduler import Scheduler
from looplift.evidence import Evidence, Run
from looplift.verdict import Finding

SHOWN = 8  # learning rates that are written out


def learning_rates(run: Run, evidence: Evidence) -> None:
    """The learning rate goes the way of the plain loop, on every rank. Raises Mend with the pattern that it has.

    A scheduler left out of prepare whose length was counted after it goes the same way and passes.
    """
    with on_one_process(run.plan.processes):
        complete(run)
        found = solo(run) or as_planned(run)
        if found:
            raise Mend(found)
        plain = plain_run(run, evidence)
        if not same_rates(run, plain):
            raise Mend(unlike_rates(run, plain, evidence))


def unlike_rates(run: Run, plain: Run, evidence: Evidence) -> Finding:
    """Why the learning rates are not the plain loop's, as well as the evidence tells."""
    mine, theirs = Scheduler(run), Scheduler(plain)
    found = (
        _ranks_differ(run)
        or _still(mine, theirs)
        or _stepped_elsewhere(mine)
        or other_length(mine)
        or other_pace(mine, evidence)
        or _other_shape(mine, theirs)
    )
    expected = found.expected or f"learning rates {_listed(theirs.rates)}; they are {_listed(mine.rates)}"
    data = {"got": mine.rates, "wanted": theirs.rates, "total": mine.total, "pace": mine.pace}
    return Finding(found.id, found.saw, expected, found.so, found.where, found.next, data)


def _listed(rates: list[float]) -> str:
    return " ".join(f"{it:.2g}" for it in rates[:SHOWN]) + (" ..." if len(rates) > SHOWN else "")


def _ranks_differ(run: Run) -> Finding | None:
    """Another learning rate on another rank."""
    first = Scheduler(run)
    for rank in run.ranks[1:]:
        other = Scheduler(run, rank)
        if all(map(close, first.rates, other.rates)):
            continue
        moving = [it for it in (first, other) if it.moves]
        only = f": the scheduler is stepped on rank {moving[0].rank} only" if len(moving) == 1 else ""
        return Finding(
            "ranks-have-other-rates",
            f"rank {rank} trains with other learning rates than rank 0{only}",
            "the same learning rates on every rank",
            "the processes end with different weights",
            moving[0].place if moving else first.place,
            "step the scheduler on every rank, outside of any `if` that only one of them enters",
        )
    return None


def _still(mine: Scheduler, theirs: Scheduler) -> Finding | None:
    """A learning rate that stands still though the plain loop's moves."""
    if not theirs.moves or not all(close(it, mine.rates[0]) for it in mine.rates):
        return None
    if mine.moves:
        return Finding(
            "scheduler-of-another-optimizer",
            "the scheduler is stepped, but it moves the learning rate of another optimizer",
            so="the learning rate stays where it began",
            where=mine.origin,
            next="make the optimizer once, and the scheduler from the optimizer that steps",
        )
    if mine.made is None:
        return Finding(
            "no-scheduler",
            "there is no scheduler: the learning rate stays where it began",
            where=mine.run.place(mine.run.steps(mine.rank)[0].where),
            next="make the plain loop's scheduler before prepare, and step it after each optimizer step",
        )
    return Finding(
        "scheduler-never-stepped",
        "the scheduler is never stepped: the learning rate stays where it began",
        where=mine.origin,
        next="call scheduler.step() after each optimizer.step()",
    )


def _stepped_elsewhere(mine: Scheduler) -> Finding | None:
    """Stepped once an epoch, or before the optimizer."""
    plan, moves = mine.run.plan, len(mine.moves)
    if 0 < moves < len(mine.rates) and moves <= plan.processes * plan.sizes.epochs:
        return Finding(
            "scheduler-per-epoch",
            "the scheduler is stepped once an epoch, not once a batch",
            so="the learning rate hardly moves",
            where=mine.place,
            next="move scheduler.step() into the loop over batches",
        )
    first = mine.run.first("step", mine.rank)
    if mine.moves and first and mine.moves[0]["at"] < first["at"]:
        return Finding(
            "scheduler-before-optimizer",
            "scheduler.step() comes before optimizer.step()",
            so="the first learning rate is skipped, and every step is made with the next one's",
            where=mine.place,
            next="step the optimizer first, then the scheduler",
        )
    return None


def _other_shape(mine: Scheduler, theirs: Scheduler) -> Finding:
    """Another height, or another curve."""
    pairs = list(zip(mine.rates, theirs.rates, strict=True))
    where = mine.origin or mine.place or mine.run.place(mine.run.steps(mine.rank)[0].where)
    factors = [a / b for a, b in pairs if b]
    factor = factors[0] if factors else 1.0
    if factor not in (0.0, 1.0) and all(abs(it / factor - 1) < 1e-6 for it in factors):
        return Finding(
            "other-learning-rates",
            f"the learning rate is {factor:.3g} times the plain loop's",
            where=where if mine.moves else argument(mine.run.submission, "lr") or where,
            next="keep the plain loop's learning rate, on any number of processes: the comparison is at the same "
            "global batch",
        )
    steps = enumerate(zip(mine.run.steps(mine.rank), theirs.rates, strict=True), start=1)
    apart = (
        (at, rate, wanted) for at, (step, wanted) in steps for rate in step.lr if not close(rate, wanted)
    )
    at, rate, wanted = next(apart)
    return Finding(
        "other-learning-rates",
        f"the learning rate goes another way than in the plain loop: in step {at} it is {rate:.3g}, not {wanted:.3g}",
        where=where,
        next="keep the schedule, its length, its peak and its curve as the plain loop has them",
    )
