"""Mixed precision: who computes in bf16, and what must not.

Judged on a run in float32 (`evidence.on(processes=2, dtype="float32")`): autocast leaves float64 alone.
"""

from __future__ import annotations

from looplift.checks.autocast import inside_autocast, launcher_argument
from looplift.checks.endings import complete
from looplift.checks.lines import definition, mention
from looplift.checks.points import Mend
from looplift.evidence import Evidence, Run
from looplift.evidence.run import Event
from looplift.verdict import Finding, Place

HALF = ("bfloat16", "float16")
EXACT = 1e-5  # relative; losses in float32 are off by up to 1.2e-7, with a part in bf16 by 7e-4 (measured)
NAMES = {"model": "the model", "backbone": "the frozen backbone"}


def not_asked(run: Run) -> Finding | None:
    """The finding when the Accelerator was not asked for bf16."""
    made = run.first("accelerator", phase="loop")
    asked = str(made["precision"]) if made else "no"
    if asked == "bf16":
        return None
    expected = 'Accelerator(mixed_precision="bf16")'
    where = run.place(made["where"]) if made else definition(run.submission, run.plan.function)
    if asked == "fp16":
        return Finding("fp16-on-a-cpu", 'the Accelerator was asked for "fp16", which does nothing on a CPU', expected,
                       "everything is computed in float32, and no warning says so", where,
                       'ask for "bf16" here, and for "fp16" on a GPU that has no bf16')  # fmt: skip
    argument = launcher_argument(run.submission)
    if argument is not None:
        return Finding("precision-for-the-launcher", "mixed_precision is given to notebook_launcher, and the "
                       "Accelerator does not see it", expected, f"its precision is {asked!r}, and everything is "
                       "computed in float32", argument, "give it to the Accelerator: the launcher's argument of "
                       "that name has no effect")  # fmt: skip
    if _by_hand(run):
        by_hand = mention(run.submission, "autocast") or where
        return Finding("mixed-precision-by-hand", f"autocast is written out by hand, and the Accelerator's precision "
                       f"is {asked!r}", expected, "it knows of no precision: it does not scale under fp16, nor give "
                       "float32 back", by_hand, "say it once, when the Accelerator is made")  # fmt: skip
    return Finding("precision-not-set", f"the Accelerator was not asked for mixed precision: it is {asked!r}", expected,
                   "everything is computed in float32", where,
                   "say the precision when the Accelerator is made")  # fmt: skip


def _by_hand(run: Run) -> bool:
    return any(dtype in HALF for it in run.of("computed") for dtype in it["networks"].get("model", {}))


def _cast_weights(run: Run) -> Finding | None:
    """The finding when the trained weights themselves are in few bits."""
    for rank in run.ranks:
        kinds = {str(it.dtype).removeprefix("torch.") for it in (run.weights(rank) or {}).values()}
        low = sorted(kinds & set(HALF))
        if low:
            where = next((it for word in ("bfloat16", "float16", ".half(") if (it := mention(run.submission, word))),
                         run.place(run.steps(rank)[0].where))  # fmt: skip
            return Finding("weights-in-low-precision", f"the model's weights are {low[0]}", "weights in float32, of "
                           "which autocast makes a copy in few bits for each matrix product", "a step that changes a "
                           "weight by less than one part in 256 is rounded away", where, "leave the model as "
                           "make_model gives it: mixed_precision casts for each forward pass")  # fmt: skip
    return None


def _in_full(run: Run) -> Finding | None:
    """The finding when a network computed in float32 what a loss was then made of."""
    for event in run.of("computed", phase="loop"):
        for network, kinds in event["networks"].items():
            if "float32" not in kinds:
                continue
            where = run.place(kinds["float32"])
            name, expected = NAMES[network], f"{NAMES[network]} computed in bfloat16"
            if network == "backbone":
                return Finding("computed-in-full-precision", f"{name} is computed in float32", expected,
                               "it was not prepared, so the Accelerator's precision does not reach it, and there most "
                               "of the work is done", where,
                               "call it inside `with accelerator.autocast():`")  # fmt: skip
            return Finding("computed-in-full-precision", f"{name} is computed in float32", expected,
                           "the Accelerator's precision does not reach it", where,
                           "call what prepare gave back, with autocast left on")  # fmt: skip
    return None


def mixed_precision(run: Run) -> None:
    """The Accelerator was asked for bf16, the networks computed in it, the weights stayed in float32. Raises Mend."""
    complete(run)
    found = not_asked(run) or _cast_weights(run) or _in_full(run)
    if found:
        raise Mend(found)


def losses(run: Run, rank: int) -> list[tuple[float, float | None, Event]]:
    """(the loss that went backward, the exact one, the event) of each step of a rank."""
    found: list[tuple[float, float | None, Event]] = []
    value, exact, last = 0.0, None, None
    for event in (it for it in run.events if it.get("rank") == rank):
        if event["kind"] == "loss":
            value, exact, last = value + event["value"], event["exact"], event
        elif event["kind"] == "step" and last is not None:
            found.append((value, exact, last))
            value, exact, last = 0.0, None, None
    return found


def _off(value: float, exact: float) -> float:
    """How far a loss is from the exact one, relative; a loss that is no number is as far as can be."""
    return abs(value - exact) / max(abs(exact), 1e-3) if value == value else float("inf")


def loss_in_full_precision(run: Run, evidence: Evidence) -> None:
    """The loss is as exact as float32 can be, given what the model gave. Raises Mend otherwise.

    A loss that is another one in float64 too is not this check's matter.
    """
    complete(run)
    double = evidence.on(processes=run.plan.processes)
    judged = 0
    for rank in run.ranks:
        pairs = losses(run, rank)
        others = losses(double, rank)
        for index, (value, exact, event) in enumerate(pairs):
            if exact is None:
                continue
            judged += 1
            if _off(value, exact) <= EXACT:
                continue
            if index < len(others) and others[index][1] is not None:
                again, truth = others[index][:2]
                if truth is not None and _off(again, truth) > EXACT:
                    return
            raise Mend(_low(run, _off(value, exact), event))
    if not judged:
        raise Mend(
            Finding(
                "unknown-rows",
                "the model's outputs do not belong to the rows of the batch",
                expected="one row of logits for each row of the batch, and the loss of these",
                where=run.place(run.steps(0)[0].where),
                next="call the model with the features of this batch, and take the loss of what it gives",
            )
        )


def _low(run: Run, off: float, event: Event) -> Finding:
    said = f"{100 * off:.2g} %" if off < 1 else "more than all of it"
    inside = inside_autocast(run.submission)
    where: Place | None = inside or run.place(event["where"])
    return Finding("loss-in-low-precision", f"the loss is off by {said} of what the model's outputs make it: a part "
                   "of it is computed in bfloat16", "a loss that is computed in float32", "a guess that is nearly "
                   "sure costs the same as a sure one: between 0.996 and 1 bfloat16 has no number", where,
                   "take the loss out of autocast, and give it float32: what a prepared model gives back is float32 "
                   "already", {"off": off})  # fmt: skip
