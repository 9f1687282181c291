"""The backward pass, the optimizer's step and zero_grad."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, accumulates, conditional, is_processes, mixed_precision
from looplift.inspection.data import Data
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event
from looplift.inspection.values import Const


def plain(case: Case) -> Iterator[Hit]:
    """loss.backward() where the Accelerator should scale the loss."""
    if not case.accumulates and case.precise:
        return
    why = (
        "divide the loss for gradient accumulation"
        if case.accumulates
        else "scale the loss for mixed precision"
    )
    for event in case.backwards:
        by_hand = event.data is not None and event.data.scaled is not None and event.data.scaled[0] == "/"
        if not event.through and event.sure and _of_prepared(event.data) and not (by_hand and case.precise):
            yield Hit(
                "plain-backward",
                event.node,
                f"backward goes around the Accelerator, which could {why}",
                "write accelerator.backward(loss) instead",
            )


def _of_prepared(data: Data | None) -> bool:
    """Whether a loss comes from a prepared model."""
    return data is not None and any(it.wrap == "prepared" for it in data.models)


def gathered(case: Case) -> Iterator[Hit]:
    """Backward on a loss that came out of gather."""
    for event in case.backwards:
        data = event.data
        if data is not None and data.sure and data.gathered is not None and not data.models:
            yield Hit(
                "gathered-loss",
                event.node,
                "this loss was gathered from the processes and is no longer connected to the model",
                "call backward on the loss of this process; gather a detached copy to report it",
            )
        call = event.node
        first = call.args[0] if isinstance(call, ast.Call) and call.args and event.through else None
        if (
            isinstance(first, ast.Call)
            and isinstance(first.func, ast.Attribute)
            and first.func.attr == "item"
        ):
            yield Hit(
                "loss-is-a-number",
                call,
                "backward is called on a plain number, which has no gradient",
                "pass the loss tensor, and use .item() only for printing",
            )


def _told_each_other(case: Case, backward: Event) -> bool:
    """Whether the processes bring something together in the loop of a backward pass, before it."""
    loop = backward.loop.node if backward.loop else None
    before = case.events[: case.events.index(backward)]
    return any(it.kind == "collective" and (it.loop.node if it.loop else None) is loop for it in before)


def scaled(case: Case) -> Iterator[Hit]:
    """A loss that is divided by what the Accelerator divides by anyway."""
    for event in case.backwards:
        factor = event.data.scaled if event.data is not None and event.data.sure else None
        if factor is None or not event.data.models:
            continue
        operator, value = factor
        if is_processes(value):
            if operator == "*" and (event.data.gathered is not None or _told_each_other(case, event)):
                continue  # it may divide by what all processes counted: then their parts are to be added up
            done = "divided" if operator == "/" else "multiplied"
            yield Hit(
                "gradient-scaled",
                event.node,
                f"the loss is {done} by the number of processes, though their gradients are averaged already",
                "pass the mean loss of this process's batch as it is",
            )
            continue
        accelerator = case.accelerator_of(event)
        if accelerator is None or not event.through or operator != "/" or not accumulates(accelerator):
            continue
        steps = accelerator.facts.get("steps")
        same = steps is value or (
            isinstance(steps, Const) and isinstance(value, Const) and steps.value == value.value
        )
        if same:
            yield Hit(
                "accumulation-done-twice",
                event.node,
                "the loss is divided by the accumulation steps, and accelerator.backward divides it again",
                "leave the division to accelerator.backward",
            )


def missing(case: Case) -> Iterator[Hit]:
    """Optimizer steps in a loop that never calls backward."""
    for event in case.of("step"):
        loop = event.loop
        if loop is None or not event.sure or event.facts.get("closure") is not None:
            continue
        trained = [
            it
            for it in case.of("forward")
            if it.loop is not None and it.loop.node is loop.node and it.training
        ]
        if not trained or any(it.thing.kind != "model" for it in trained) or case.called_out(event.root):
            continue
        if not any(it.root is event.root for it in case.backwards):
            yield Hit(
                "no-backward",
                event.node,
                "the optimizer steps, and nothing calls backward: nothing is learned",
                "call accelerator.backward(loss) before optimizer.step()",
            )


def outside(case: Case) -> Iterator[Hit]:
    """The step stands outside the loop over batches, zero_grad inside."""
    for event in case.of("step"):
        if event.loop is None or not isinstance(event.of, Thing):
            continue
        inner = [it for it in case.backwards if event.loop.node in it.loops[1:] and it.root is event.root]
        zeroed = [
            it for it in case.of("zero_grad") if inner and it.loops and it.loops[0] is inner[0].loops[0]
        ]
        others = [it for it in case.of("step") if it is not event and it.of is event.of]
        if inner and zeroed and not others:
            yield Hit(
                "other-step-count",
                event.node,
                "the optimizer steps once for all batches of the loop above, and "
                "only the last batch's gradient is left",
                "move the step into the loop over batches",
            )


def _optimizers(case: Case) -> dict[int, list[Event]]:
    """The steps of each optimizer."""
    found: dict[int, list[Event]] = {}
    for it in case.of("step"):
        if isinstance(it.of, Thing):
            found.setdefault(id(it.of.root), []).append(it)
    return found


def erased(case: Case) -> Iterator[Hit]:
    """zero_grad between backward and step. With several optimizers the text does not tell whose backward it was."""
    optimizers = _optimizers(case)
    for steps in optimizers.values() if len(optimizers) == 1 else ():
        for step in steps:
            if any(conditional(step)):
                continue
            before = [it for it in case.backwards if it.inside == step.inside and it.at < step.at]
            if not before:
                continue
            between = [
                it for it in case.of("zero_grad")
                if before[-1].at < it.at < step.at and it.inside == step.inside and _resets(it, step)
            ]  # fmt: skip
            if between:
                yield Hit(
                    "gradients-erased",
                    between[0].node,
                    "the gradients are set to zero after backward and before the step: nothing is learned",
                    "call zero_grad before backward, or after the step",
                )


def _resets(zero: Event, step: Event) -> bool:
    if not isinstance(zero.of, Thing) or not isinstance(step.of, Thing):
        return False
    if zero.of.kind == "optimizer":
        return zero.of.root is step.of.root
    return any(it.whole is zero.of.whole for it in step.of.facts.get("models", []))


def left_over(case: Case) -> Iterator[Hit]:
    """No zero_grad anywhere for an optimizer that steps in a loop."""
    for steps in _optimizers(case).values():
        optimizer = steps[0].thing
        if optimizer.facts.get("escaped") or optimizer.root.given or not steps[0].sure:
            continue
        inside = [it for it in steps if it.loop is not None and it.loop.node in case.training_loops]
        if not inside or any(it.root is steps[0].root for it in case.of("zero_grad")):
            continue
        loop = inside[0].loop
        back = next(
            (
                it
                for it in case.backwards
                if it.loop is not None and loop is not None and it.loop.node is loop.node
            ),
            None,
        )
        if back is not None:
            yield Hit(
                "gradients-left-over",
                back.node,
                "the gradients are never set to zero: each step adds up all batches before it",
                "call optimizer.zero_grad() once for each batch",
            )


def closures(case: Case) -> Iterator[Hit]:
    """The result of a prepared optimizer's step(closure) is used."""
    for event in case.of("step"):
        if event.facts.get("closure") is not None and not event.dropped and event.thing.wrap == "prepared":
            yield Hit(
                "closure-result",
                event.node,
                "a prepared optimizer's step(closure) gives None, not the loss",
                "keep the loss in a variable that the closure fills",
            )


def clipping(case: Case) -> Iterator[Hit]:
    """torch's own clipping under a scaler."""
    half = any(mixed_precision(it) == "fp16" for it in case.accelerators)
    unscaled = {it.root for it in case.of("unscale")}
    for event in case.of("clip"):
        if half and not event.through and event.root not in unscaled:
            yield Hit(
                "clipped-before-unscaling",
                event.node,
                "under fp16 the gradients are still scaled here",
                "use accelerator.clip_grad_norm_, which brings them to their own size first",
            )


RULES = (plain, gathered, scaled, missing, outside, erased, left_over, closures, clipping)
