"""Gradients that are added up over several batches: whether they are whole, and clipped when they are.

Compared with the plain loop are the ranks' own gradients before any clipping, on average: clipping to a norm hides a
loss that is scaled. Only the steps before the first difference are compared; after it the weights differ, too.
"""

from __future__ import annotations

from looplift.checks.endings import complete
from looplift.checks.gradients import SHARED, backward_place, gradients_shared
from looplift.checks.points import Mend, on_one_process
from looplift.checks.reference import plain_run
from looplift.checks.rows import as_planned
from looplift.evidence import Evidence, Run
from looplift.evidence.run import Event
from looplift.verdict import Finding


def own_gradients(run: Run) -> list[float]:
    """Each step's gradient as backward made it, as one number, on average over the ranks."""
    key, ranks = str(run.trained_model), run.ranks
    steps = zip(*(run.steps(rank) for rank in ranks), strict=True)
    return [sum(it.local.get(key, 0.0) for it in step) / len(ranks) for step in steps]


def used_gradients(run: Run) -> list[float]:
    """The gradient that rank 0 took each step with, as one number."""
    return [it.synchronised.get(str(run.trained_model), 0.0) for it in run.steps(0)]


def first_apart(mine: list[float], theirs: list[float]) -> int | None:
    """The first step at which two gradients differ by more than rounding."""
    scale = max((abs(it) for it in theirs), default=0.0) or 1.0
    pairs = enumerate(zip(mine, theirs, strict=True))
    return next((index for index, (a, b) in pairs if abs(a - b) > SHARED * scale), None)


def _within_step(run: Run, kind: str) -> list[tuple[int, int, Event]]:
    """(step, batches that fed it so far, event) for the events of a kind on rank 0 before each step."""
    found, step, fed = [], 0, 0
    for event in (it for it in run.events if it.get("rank") == 0):
        if event["kind"] == "backward":
            fed += 1
        elif event["kind"] == "step":
            step, fed = step + 1, 0
        elif event["kind"] == kind:
            found.append((step, fed, event))
    return found


def _erased(run: Run) -> Finding | None:
    """The finding when gradients are cleared before all batches of a step are in."""
    groups = [len(it.batches) for it in run.steps(0)]
    for step, fed, event in _within_step(run, "cleared"):
        if step >= len(groups) or not 0 < fed < groups[step]:
            continue
        expected = f"a gradient that is whole: that of all {groups[step]} batches since the step before"
        so = "what was added up before is thrown away, and a step learns from its last batches only"
        if event["by"] == "model":
            return Finding("zero-grad-around-the-optimizer", "the gradients are cleared after every batch", expected,
                           so, run.place(event["where"]), "clear them with the prepared optimizer's zero_grad(): it "
                           "knows when a step is due; the model does not")  # fmt: skip
        return Finding("zero-grad-first", "the gradients are cleared before the last batch of a step goes backward",
                       expected, so, run.place(event["where"]), "call optimizer.zero_grad() after optimizer.step(), "
                       "as the last line of the accumulate block")  # fmt: skip
    return None


def _divided_otherwise(run: Run, ratio: float) -> Finding | None:
    """The finding when the gradient is the plain loop's times or divided by the number of batches of a step."""
    size = run.plan.accumulation
    where, expected = (
        backward_place(run),
        "the mean over the batches of a step: the loss divided by their number once",
    )
    if abs(ratio * size - 1) <= SHARED * size:
        return Finding("accumulation-done-twice", f"the gradient is {size} times too small: the loss is divided by "
                       f"{size} twice", expected, "", where, "pass the loss to accelerator.backward as it is: it "
                       "divides by gradient_accumulation_steps")  # fmt: skip
    if abs(ratio / size - 1) <= SHARED * size:
        return Finding("accumulation-done-twice", f"the gradient is {size} times too large: the loss is never divided "
                       f"by {size}", expected, "", where, "let accelerator.backward(loss) divide it, with "
                       f"Accelerator(gradient_accumulation_steps={size})")  # fmt: skip
    return None


def accumulated(run: Run, evidence: Evidence) -> None:
    """A step learns from `accumulation` batches, from each of them as much, and from the rest of an epoch.

    Raises Mend with the cause.
    """
    with on_one_process(run.plan.processes):
        complete(run)
        found = as_planned(run)
        if found:
            raise Mend(found)
        mine, theirs = own_gradients(run), own_gradients(plain_run(run, evidence))
        apart = first_apart(mine, theirs)
        if apart is None:
            return
        found = _erased(run)
        if found is None and apart == 0 and theirs[0]:
            found = _divided_otherwise(run, mine[0] / theirs[0])
        if found:
            raise Mend(found)


def clipped(run: Run, evidence: Evidence) -> None:
    """The gradient of a step is clipped as the plain loop clips it: once, when it is whole. Raises Mend if not."""
    with on_one_process(run.plan.processes):
        accumulated(run, evidence)
        unshared = gradients_shared(run) if run.plan.processes > 1 else None
        if unshared:
            raise Mend(unshared)
        plain = plain_run(run, evidence)
        own = first_apart(own_gradients(run), own_gradients(plain))
        used = first_apart(used_gradients(run), used_gradients(plain))
        if used is None or (own is not None and own <= used):
            return  # whole gradients differ before clipped ones do: not the clipping's fault
        raise Mend(_clipped_otherwise(run))


def _clipped_otherwise(run: Run) -> Finding:
    groups = [len(it.batches) for it in run.steps(0)]
    calls = _within_step(run, "clipped")
    expected = (
        "gradients clipped once a step, after its last backward and before the step, to the plain loop's norm"
    )
    early = next((it for it in calls if it[0] < len(groups) and 0 < it[1] < groups[it[0]]), None)
    if early is not None:
        return Finding("clipped-on-every-micro-step", f"gradients are clipped after {early[1]} of "
                       f"{groups[early[0]]} batches, before they are whole", expected, "each process clips what it "
                       "has so far, and the sum of clipped parts is another gradient", run.place(early[2]["where"]),
                       "clip under `if accelerator.sync_gradients:`, which is true when a step is due")  # fmt: skip
    if not calls:
        return Finding("not-clipped", "the gradients are never clipped", expected, "", run.place(run.steps(0)[0].where),
                       "call accelerator.clip_grad_norm_(model.parameters(), MAX_NORM) before the step"
                       + (", `if accelerator.sync_gradients`" if run.plan.accumulation > 1 else ""))  # fmt: skip
    if calls[0][:2] == (0, 0):
        return Finding("clipped-before-backward", "the gradients are clipped before backward has made them", expected,
                       "there is nothing to clip yet, and the step takes them as they are",
                       run.place(calls[0][2]["where"]), "clip between backward and step")  # fmt: skip
    late = next((it for it in calls if it[1] == 0), None)
    if late is not None:
        return Finding("clipped-too-late", "the gradients are clipped after the step was taken", expected,
                       "the step has used them as they were", run.place(late[2]["where"]),
                       "clip between backward and step")  # fmt: skip
    return Finding(
        "clipped-otherwise",
        "the gradients are clipped to another norm than the plain loop's",
        expected,
        where=run.place(calls[0][2]["where"]),
        next="clip the norm of all parameters together, to MAX_NORM",
    )
