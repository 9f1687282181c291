"""How a run ended, when it did not end well: the root cause and its line."""

from __future__ import annotations

from typing import Any

from looplift.checks.errors import explain, lost_peer
from looplift.checks.lines import definition, process_end
from looplift.checks.points import Mend
from looplift.checks.waiting import out_of_step, stuck
from looplift.evidence import Run
from looplift.verdict import Finding


def before_launch(run: Run) -> Finding | None:
    """What kept the function from being launched at all."""
    refused = run.first("launch error")
    missing = run.first("no function")
    error = run.first("load error")
    if error is not None and (missing or (refused and not run.ranks)):
        return explain(error, run)
    if missing is not None:
        return Finding(
            "no-function",
            f"there is no function {missing['name']}",
            expected=f"def {missing['name']}({run.plan.signature}) in the answer cell",
            next="write it in the answer cell, under that name",
        )
    if refused is not None and not run.ranks:
        return explain(refused, run)
    return None


def raised(run: Run) -> Finding | None:
    """The first exception of any rank: the cause, not the other rank's `connection closed`."""
    every = list(run.of("raised"))
    first = next((it for it in every if not lost_peer(it)), None)
    if first is None and _gone(run):
        return None  # the others lost a rank that went without a word
    first = first or next(iter(every), None)
    if first is None:
        return None
    # Where all ranks raise the same, which of them came first is chance, and no part of a verdict.
    same = (it for it in every if all(it.get(key) == first.get(key) for key in ("error", "text", "where")))
    return explain(min(same, key=lambda it: int(it["rank"])), run)


def _gone(run: Run) -> list[int]:
    """Ranks that vanished, neither returning nor raising; the one that the launcher saw fail first comes first."""
    ended = {event["rank"] for event in run.of("done")}
    error = run.first("launch error")
    first = error.get("first") if error else None
    return sorted((rank for rank in run.ranks if rank not in ended), key=lambda rank: (rank != first, rank))


def died(run: Run) -> Finding | None:
    """The finding when a rank vanished without an exception."""
    gone = _gone(run)
    if not gone and run.ranks:
        return None
    last: dict[str, Any] = {}
    for event in run.events:
        if event.get("rank") in gone and event.get("where"):
            last = event
    return Finding(
        "rank-died",
        f"rank {gone[0]} ended without an error or a result"
        if gone
        else "the launch ended before any rank began",
        expected="every rank to return from training_loop",
        so="the other processes lose it in the middle of training"
        if gone and len(gone) < len(run.ranks)
        else "",
        where=process_end(run.submission) or (run.place(last["where"]) if last else None),
        next="take out calls that end the process (os._exit, os.kill); return from the function instead",
    )


def ending(run: Run) -> Finding | None:
    """Why a run did not end well, the root cause first; None when every rank returned."""
    if run.finished:
        return None
    from looplift.checks.accelerators import outside

    return outside(run) or before_launch(run) or raised(run) or stuck(run) or out_of_step(run) or died(run)


def trained(run: Run) -> None:
    """At least one optimizer step was made on every rank. Raises Mend with the reason when not."""
    if len(run.ranks) == run.plan.processes and all(run.steps(rank) for rank in run.ranks):
        return
    raise Mend(ending(run) or _no_step(run))


def _no_step(run: Run) -> Finding:
    """Every rank returned, and some took no optimizer step."""
    inner = run.first("launch", phase="loop")
    if inner is not None:
        return Finding(
            "launcher-inside",
            f"{run.plan.function} calls notebook_launcher itself",
            expected="a function that trains; the launch cell launches it",
            so="each of the processes that were started would try to start others, and none trains",
            where=run.place(inner["where"]),
            next=f"write the training into {run.plan.function} and leave notebook_launcher to the launch cell",
        )
    took = {rank: len(run.steps(rank)) for rank in run.ranks}
    some = next((rank for rank, count in took.items() if count), None)
    if some is None:
        return Finding(
            "no-step",
            "training_loop returned without a single optimizer step",
            expected="`optimizer.step()` for every batch",
            where=definition(run.submission, run.plan.function),
            next="loop over the train loader and take a step for each batch",
        )
    idle = next(rank for rank, count in took.items() if not count)
    return Finding(
        "no-step-on-a-rank",
        f"rank {idle} takes no optimizer step, rank {some} takes {took[some]}",
        expected="the same optimizer steps on every rank",
        so=f"the weights of rank {idle} stay as they were, and the processes train two models",
        where=run.place(run.steps(some)[0].where),
        next="call optimizer.step() on every rank, outside any `if` on the rank",
    )


def complete(run: Run) -> None:
    """Every rank returned after training. Raises Mend with the reason when not."""
    trained(run)
    found = ending(run)
    if found is not None:
        raise Mend(found)
