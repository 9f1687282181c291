"""Whether the seed comes first: before the data is split and the model's first weights are drawn."""

from __future__ import annotations

from looplift.checks.accelerators import missing, outside, solo
from looplift.checks.endings import trained
from looplift.checks.lines import inside_function, line_of_call
from looplift.checks.points import Mend
from looplift.evidence import Run
from looplift.verdict import Finding

MADE = {"loaders made": "the loaders are made", "model made": "the model is made"}


def seeded(run: Run) -> None:
    """Every process has set the same seed when it makes loaders and model, and an Accelerator of its own.

    Before the function is entered each process is given another random state, so equal ones are the seed's doing.
    Raises Mend otherwise. A run that has come so far may fail afterwards: other checks say why.
    """
    found = outside(run)
    if found:
        raise Mend(found)
    both = [{rank: run.first(kind, rank) for rank in range(run.plan.processes)} for kind in MADE]
    if any(event is None for events in both for event in events.values()):
        trained(run)
        raise Mend(_not_made(run))
    if run.first("accelerator", rank=0) is None:
        raise Mend(missing(run))
    alone = solo(run)
    if alone:
        raise Mend(alone)
    for (kind, what), events in zip(MADE.items(), both, strict=True):
        states = {str(event.get("random")) for event in events.values() if event}
        if len(states) > 1:
            raise Mend(_late(run, kind, what))


def _late(run: Run, kind: str, what: str) -> Finding:
    """The finding when the random state differs between the processes at a moment."""
    event = run.first(kind, 0)
    made = run.place(event["where"]) if event else None
    seed = line_of_call(run.submission, "set_seed")
    if seed is None:
        following = "call set_seed(seed) at the top of training_loop: it seeds Python, numpy and torch alike"
    elif not inside_function(run.submission, seed):
        following = "call it inside training_loop, as its first line: each process needs it, not the notebook"
    elif made is not None and seed.line < made.line:
        following = (
            "give every process the same seed: set_seed(seed), and nothing that depends on the process"
        )
    else:
        following = "move set_seed(seed) to the top of training_loop, before get_dataloaders and make_model"
    return Finding(
        "seed-not-first",
        f"when {what}, the processes have different random numbers before them",
        expected="set_seed(seed) as the first line of training_loop, the same on every process",
        so="each would split the data another way, and one trains on rows that the other measures with"
        if kind == "loaders made"
        else "the first weights of the model depend on chance, not on the seed",
        where=seed or made,
        next=following,
    )


def _not_made(run: Run) -> Finding:
    """The finding when a run trained something else than what the exercise's functions give."""
    return Finding(
        "unknown-rows",
        "training_loop does not make its loaders and its model with get_dataloaders and make_model",
        expected="get_dataloaders(batch_size) and make_model() called inside training_loop, on every process",
        next="make both inside the function: what was made in the notebook belongs to its process",
    )
