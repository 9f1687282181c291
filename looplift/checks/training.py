"""Whether the processes trained one model, and the same one that the plain loop trains.

The plain loop is run over the very rows that were seen (see reference.py). In float64 right loops differ by at most
3e-11 from it, wrong ones by 2e-3 and more (measured).
"""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.endings import complete
from looplift.checks.gradients import gradients_shared, other_model, unlike_gradients
from looplift.checks.passes import loop_place
from looplift.checks.points import Mend, on_one_process
from looplift.checks.prepare import unprepared
from looplift.checks.reference import plain_run, same_rates
from looplift.checks.rows import as_planned
from looplift.checks.schedule import unlike_rates
from looplift.evidence import Evidence, Run
from looplift.verdict import Finding

SAME = 1e-8  # largest difference of a weight, float64


def difference(one: dict, other: dict) -> float:  # type: ignore[type-arg]
    """Largest difference between two sets of weights; infinite when they do not hold the same names."""
    if one.keys() != other.keys():
        return float("inf")
    parts = [
        float((one[name].double() - other[name].double()).abs().max()) for name in one if one[name].numel()
    ]
    return max(parts, default=0.0) if all(it == it for it in parts) else float("inf")


def _unlike(run: Run, plain: Run, evidence: Evidence, size: float) -> Finding | None:
    """Why the training is not the plain loop's, as well as the evidence tells; None when it is."""
    if not same_rates(run, plain):
        return unlike_rates(run, plain, evidence)
    found = unlike_gradients(run, plain)
    if found or size <= SAME:
        return found
    steps = run.steps(0)
    return Finding("weights-differ", f"the weights end {size:.1g} away from the plain loop's",
                   "the weights of the plain loop at the same global batch", where=run.place(steps[0].where),
                   next="compare with the plain loop line by line: the same optimizer and its settings, the same "
                   "loss, zero_grad and step for each batch")  # fmt: skip


def _two_models(run: Run) -> Finding | None:
    """The finding when the processes do not train one model together."""
    unshared = gradients_shared(run) if run.plan.processes > 1 else None
    if unshared is not None and run.first("accelerator"):
        return unprepared(run, "model") or unshared
    return unshared


def trained_like_plain(run: Run, evidence: Evidence) -> None:
    """The run ends with one set of weights, the plain loop's at the same global batch. Raises Mend with the cause."""
    with on_one_process(run.plan.processes):
        complete(run)
        found = solo(run) or as_planned(run) or other_model(run) or _two_models(run)
        if found:
            raise Mend(found)
        plain = plain_run(run, evidence)
        weights = [run.weights(rank) or {} for rank in run.ranks]
        found = _unlike(run, plain, evidence, difference(weights[0], plain.weights(0) or {}))
        apart = max((difference(weights[0], it) for it in weights[1:]), default=0.0)
        if apart > SAME and (found is None or found.id == "weights-differ"):
            found = Finding("processes-differ", f"the processes end with weights that differ by {apart:.1g}",
                            "the same weights on every rank", "they trained two models", loop_place(run),
                            "let every parameter that is trained belong to the prepared model")  # fmt: skip
        if found:
            raise Mend(found)
