"""How the steps of a schedule were counted, and how fast the scheduler moves along them.

Both are right in themselves in more than one way (see reference.py); a mistake is a length that fits no way of
counting, or a length of one way with the pace of another.
"""

from __future__ import annotations

from looplift.checks.reference import same_rates, ways_to_count
from looplift.checks.rows import global_batches
from looplift.checks.scheduler import Scheduler
from looplift.evidence import Evidence, Run
from looplift.verdict import Finding


def other_length(mine: Scheduler) -> Finding | None:
    """The finding when the scheduler was made for a number of steps that fits no way of counting."""
    run, epochs, total = mine.run, mine.run.plan.sizes.epochs, mine.total
    lengths = [length for length, _ in ways_to_count(run)]
    if total is None or not mine.moves or total in [epochs * it for it in lengths]:
        return None
    full = epochs * lengths[0]
    expected = f"{full} steps: {epochs} epochs of {lengths[0]} batches"
    if run.plan.processes > 1 and total == full * run.plan.processes:
        return Finding(
            "schedule-multiplied",
            f"the schedule is made for {total} steps: its length is multiplied by the number of processes",
            expected,
            f"the learning rate is only {_part(len(mine.rates) * mine.pace, total)} of its way along at the end",
            mine.origin,
            "leave the number of processes out: count len(train_loader) before prepare, and prepare the scheduler",
        )
    why = _why(run, total, lengths)
    return Finding(
        "schedule-length",
        f"the schedule is made for {total} steps" + (f": {why}" if why else ""),
        expected,
        where=mine.origin,
        next="count `epochs` times len(train_loader), read before prepare",
    )


def _why(run: Run, total: int, lengths: list[int]) -> str:
    """What was counted to arrive at a wrong total; "" when we can't tell."""
    sizes, processes = run.plan.sizes, run.plan.processes
    each, rest = divmod(total, sizes.epochs)
    evaluation = -(-sizes.eval_rows // (2 * sizes.batch_size))
    if not rest and each == sizes.train_rows:
        return "rows are counted, not batches"
    if not rest and each in (evaluation, -(-evaluation // processes)):
        return "the evaluation loader is counted"
    for length in lengths:
        count, rest = divmod(total, length)
        if not rest:
            return f"that is {count} epoch{'' if count == 1 else 's'}, and the training has {sizes.epochs}"
    return ""


def other_pace(mine: Scheduler, evidence: Evidence) -> Finding | None:
    """The finding when the scheduler moves too fast or too slowly along a length that is right in itself."""
    known = _counted(mine, evidence) if mine.moves else None
    if known is None or known[1] == mine.pace:
        return None
    way, wanted = known
    if mine.pace < wanted:
        return _slow(mine, wanted)
    if mine.through and mine.pace == mine.run.plan.processes and way > 0:
        return _short(mine, wanted)
    return Finding(
        "scheduler-stepped-too-often",
        f"the scheduler moves {_times(mine.pace)} at each optimizer step, not {_times(wanted)}",
        so=f"the schedule is over at {_part(wanted, mine.pace)} of the training",
        where=mine.place,
        next="call scheduler.step() once for each optimizer step, and let only prepare multiply",
    )


def _counted(mine: Scheduler, evidence: Evidence) -> tuple[int, int] | None:
    """(which way of counting, the pace that it asks for) of the length that the scheduler was made for.

    A scheduler that keeps no number of steps is recognised by the learning rates that it gives at its pace.
    """
    run, ways = mine.run, ways_to_count(mine.run)
    for index, (length, moves) in enumerate(ways):
        if mine.total is not None:
            if mine.total == length * run.plan.sizes.epochs:
                return index, moves
        elif mine.pace != moves:
            plain = evidence.reference(global_batches(run), mine.pace, length)
            if same_rates(run, plain):
                return index, moves
    return None


def _slow(mine: Scheduler, wanted: int) -> Finding:
    """Moves once at each step along a length for one process."""
    so = f"the learning rate is only {_part(mine.pace, wanted)} of its way along at the end"
    if mine.through:
        return Finding(
            "scheduler-not-multiplied",
            f"the prepared scheduler moves {_times(mine.pace)} at each optimizer step, but its length was counted "
            "for one process",
            so=so,
            where=mine.place,
            next="leave step_scheduler_with_optimizer and split_batches as they are, or count len(train_loader) "
            "after prepare",
        )
    if mine.passed:
        return Finding(
            "prepared-scheduler-unused",
            "the scheduler was prepared, but the loop steps the one that went in",
            so=so,
            where=mine.place,
            next="step the scheduler that prepare returned",
        )
    return Finding(
        "unprepared-scheduler",
        "the scheduler was not passed to prepare, but its length was counted for one process",
        so=so,
        where=mine.place,
        next="pass the scheduler to prepare with the rest",
    )


def _short(mine: Scheduler, wanted: int) -> Finding:
    """Prepared, and as short as if it were not."""
    pace = mine.pace
    so = (
        f"the schedule is only {_part(wanted, pace)} as long and, being prepared, moves {_times(pace)} at each step: "
        f"it is over at {_part(wanted, pace)} of the training"
    )
    loader = next((it for it in mine.run.of("prepared", mine.rank) if it["role"] == "train_loader"), None)
    if loader and mine.made and loader["at"] < mine.made["at"]:
        return Finding(
            "schedule-counted-after-prepare",
            "the steps of the schedule were counted from the prepared loader",
            so=so,
            where=mine.origin,
            next="count len(train_loader) before prepare",
        )
    made = f"made for {mine.total} steps" if mine.total else "too short"
    return Finding(
        "schedule-length",
        f"the schedule is {made}, {_part(wanted, pace)} of what one process takes",
        so=so,
        where=mine.origin,
        next="count `epochs` times len(train_loader) before prepare, and don't divide by the number of processes: a "
        "prepared scheduler sees to that",
    )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _part(one: int, whole: int) -> str:
    """One number of another in words: half, a quarter, 33%."""
    return {2.0: "half", 4.0: "a quarter"}.get(whole / one, f"{one / whole:.0%}") if one else "none"
