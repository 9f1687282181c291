"""Gradients under a scaler: multiplied before backward, divided before anybody uses them.

Judged on a run in which the Accelerator really holds a scaler (`evidence.on(processes=2, scaler=True)`), against the
same loop without one: both must take the same steps.
"""

from __future__ import annotations

from dataclasses import replace

from looplift.checks.accumulation import first_apart, used_gradients
from looplift.checks.endings import complete
from looplift.checks.points import Mend
from looplift.checks.precision import not_asked
from looplift.checks.reference import plain_run
from looplift.checks.rows import as_planned
from looplift.evidence import Evidence, Run
from looplift.evidence.run import Event
from looplift.verdict import Finding

EXPECTED = "the same steps under a scaler as without one"


def _before_step(run: Run, number: int) -> list[Event]:
    """What rank 0 did to its gradients from the step before this one to this one."""
    found: list[Event] = []
    steps = 0
    for event in (it for it in run.events if it.get("rank") == 0):
        if event["kind"] == "step":
            if steps == number:
                return found
            steps, found = steps + 1, []
        elif event["kind"] in ("backward", "clipped", "unscaled"):
            found.append(event)
    return found


def _finding(run: Run, number: int) -> Finding:
    events = _before_step(run, number)
    where = run.place(run.steps(0)[number].where)
    bare = next((it for it in events if it["kind"] == "backward" and not it["through"]), None)
    if bare is not None:
        return _bare(run, bare)
    clip = next((it for it in events if it["kind"] == "clipped"), None)
    if clip is not None:
        return Finding("clipped-before-unscaling", "under fp16 the gradients are clipped while they are still "
                       "multiplied by the scale", EXPECTED, "they are 65536 times too long, are cut to the limit, and "
                       "are divided by 65536 only then: hardly anything is left", run.place(clip["where"]),
                       "use accelerator.clip_grad_norm_, which brings them to their own size first")  # fmt: skip
    return Finding("scaled-gradients-used", "under fp16 the gradients are used while they are still multiplied by the "
                   "scale", EXPECTED, "the step is another one than without a scaler", where,
                   "call accelerator.unscale_gradients() before you look at a gradient or change it, or leave it to "
                   "accelerator.clip_grad_norm_")  # fmt: skip


def _bare(run: Run, backward: Event) -> Finding:
    return Finding("plain-backward", "backward is called on the loss itself, so under fp16 the loss is not scaled",
                   "accelerator.backward(loss)", "small gradients become zero, and what is divided by the scale later "
                   "was never multiplied by it", run.place(backward["where"]),
                   "write accelerator.backward(loss) instead")  # fmt: skip


def _never_scaled(run: Run) -> Finding | None:
    """The finding when the scaler was asked to divide what it had not multiplied: PyTorch raises."""
    raised = next((it for it in run.of("raised") if "_scale is None" in str(it["text"])), None)
    bare = run.first("backward", phase="loop", through=False)
    return _bare(run, bare) if raised and bare else None


def scaled(run: Run, evidence: Evidence) -> None:
    """Under a scaler the loop takes the steps that it takes without one. Raises Mend otherwise."""
    never = _never_scaled(run)
    if never:
        raise Mend(never)
    complete(run)
    if run.first("accelerator", phase="loop", precision="no"):
        found = not_asked(run)
        if found:
            # An exercise about something else has a loop that asks for fp16 where there is a scaler.
            named = (
                found if run.plan.mixed else replace(found, expected='Accelerator(mixed_precision="fp16")')
            )
            raise Mend(named)
    plain = evidence.on(processes=run.plan.processes)
    complete(plain)
    found = as_planned(plain)
    if found:
        raise Mend(found)
    mine, theirs = used_gradients(run), used_gradients(plain)
    if len(mine) != len(theirs):
        raise Mend(
            Finding(
                "other-step-count",
                f"under fp16 the loop takes {len(mine)} steps, without it {len(theirs)}",
                expected=EXPECTED,
                where=run.place(run.steps(0)[0].where),
                next="call optimizer.step() for every batch: the prepared optimizer skips what must be skipped",
            )
        )
    apart = first_apart(mine, theirs)
    if apart is None:
        return
    other = first_apart(theirs, used_gradients(plain_run(plain, evidence)))
    if other is None or other > apart:
        raise Mend(
            _finding(run, apart)
        )  # else the steps are other ones without a scaler, too: not its matter
