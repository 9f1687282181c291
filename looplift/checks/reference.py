"""The plain loop that a run is compared with: one process, over the very rows that the processes saw together.

Two processes with batches of B rows must end where one plain process with the same global batches of 2B rows ends.
A schedule can be counted in either: in batches of B of which each step takes two, as a prepared scheduler does, or in
batches of 2B, as the length of a prepared loader does. Near its ends the two differ by a fraction of a step, so both
are tried.
"""

from __future__ import annotations

from looplift.checks.rows import global_batches
from looplift.evidence import Evidence, Run

CLOSE = 1e-9  # relative; learning rates come from the same float64 formula


def close(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * max(abs(one), abs(other), 1e-12)


def same_rates(run: Run, plain: Run) -> bool:
    """Whether every step of every rank has the plain loop's learning rate, in all its parameter groups."""
    wanted = [step.lr[0] for step in plain.steps(0)]
    for rank in run.ranks:
        steps = run.steps(rank)
        if len(steps) != len(wanted):
            return False
        if not all(close(rate, it) for step, it in zip(steps, wanted, strict=True) for rate in step.lr):
            return False
    return True


def ways_to_count(run: Run) -> list[tuple[int, int]]:
    """(length of the loader, moves of the scheduler at each step) for each size of batch that may be counted in:
    the exercise's, the one that the loop asked `get_dataloaders` for, and the global one."""
    sizes = run.plan.sizes
    first = next((epoch[0] for epoch in global_batches(run) if epoch), [])
    rows = len(first) or sizes.batch_size
    asked = [int(it["batch_size"]) for it in run.of("loaders made", 0) if isinstance(it["batch_size"], int)]
    units = dict.fromkeys([sizes.batch_size, *asked[-1:], rows])
    ways = [(-(-sizes.train_rows // unit), max(1, round(rows / unit))) for unit in units if unit > 0]
    return list(dict.fromkeys(ways))


def plain_run(run: Run, evidence: Evidence) -> Run:
    """The plain loop over the same global batches, its schedule counted the way that fits the run best."""
    epochs = global_batches(run)
    if run.plan.accumulation > 1:  # the plain loop counts batches, and steps at the last one too
        return evidence.reference(epochs, 1, max(map(len, epochs)))
    first, *others = ways_to_count(run)
    plain = evidence.reference(epochs, first[1], first[0])
    if others and run.first("scheduler made") and not same_rates(run, plain):
        for length, moves in others:
            other = evidence.reference(epochs, moves, length)
            if same_rates(run, other):
                return other
    return plain
