"""Gradient accumulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from looplift.inspection.case import Case, Hit, conditional, known
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event, Inside

Rule = Callable[[Case], Iterator[Hit]]


def _block(event: Event) -> Inside | None:
    return next(event.within("accumulate"), None)


def zeroed_first(case: Case) -> Iterator[Hit]:
    """zero_grad before backward inside `accumulate`, or a zero_grad that does not know about it."""
    for event in case.of("zero_grad"):
        block = _block(event)
        if block is None or not isinstance(event.of, Thing) or not event.sure:
            continue
        if event.of.kind == "model" or (not event.of.wrap and known(event.of)):
            yield Hit(
                "zero-grad-around-the-optimizer",
                event.node,
                "this sets the gradients to zero in every micro-step: "
                "only the prepared optimizer knows when to",
                "call zero_grad of the prepared optimizer, after its step",
            )
            continue
        after = [it for it in case.backwards if _same_block(it, block) and it.at > event.at]
        before = [it for it in case.backwards if _same_block(it, block) and it.at < event.at]
        if after and not before:
            yield Hit(
                "zero-grad-first",
                event.node,
                "inside accumulate this erases what the micro-steps before the last have added up",
                "move zero_grad to the end of the block, after the step",
            )


def _same_block(event: Event, block: Inside) -> bool:
    own = _block(event)
    return own is not None and own.node is block.node


def never_entered(case: Case) -> Iterator[Hit]:
    """A count of steps, and no `with accelerator.accumulate(...)`."""
    if case.of("accumulate") or any(it.kind == "no_sync" for event in case.events for it in event.inside):
        return
    through = [it for it in case.backwards if it.through and it.sure]
    always = [it for it in case.of("step") if it.loop is not None and not any(conditional(it))]
    made = case.of("accelerator")
    if (
        through
        and always
        and made
        and len(always) == len(case.of("step"))
        and not case.called_out(always[0].root)
    ):
        yield Hit(
            "accumulate-never-entered",
            made[0].node,
            "a number of accumulation steps is given, but no batch is "
            "inside accelerator.accumulate: the loss is divided and every batch steps",
            "put the forward pass, backward and step into `with accelerator.accumulate(model):`",
        )


def modulo(case: Case) -> Iterator[Hit]:
    """A step under `(i + 1) % k` beside `accumulate`."""
    if not case.of("accumulate"):
        return
    for event in case.of("step"):
        if any(it.modulo for it in conditional(event)):
            yield Hit(
                "accumulation-tail",
                event.node,
                "the step is counted by hand beside accumulate: an epoch that does "
                "not divide evenly loses its last micro-steps",
                "let every micro-step call step and zero_grad inside accumulate; it knows which of them count",
            )


def two_blocks(case: Case) -> Iterator[Hit]:
    """Two `accumulate` blocks for one batch."""
    blocks = case.of("accumulate")
    for index, event in enumerate(blocks):
        for other in blocks[:index]:
            if event.node is not other.node and event.inside == other.inside and event.loop is not None:
                yield Hit(
                    "two-accumulate-blocks",
                    event.node,
                    "a second accumulate block for the same batch: each block counts one micro-step on",
                    "enter one block with both: accelerator.accumulate(a, b)",
                )
                break


def clipped(case: Case) -> Iterator[Hit]:
    """Clipping in every micro-step."""
    for event in case.of("clip"):
        synced = any(it.which == "sync" for it in event.inside)
        if event.through and _block(event) is not None and not synced and event.sure:
            yield Hit(
                "clipped-on-every-micro-step",
                event.node,
                "the gradients are clipped in every micro-step, not once they are whole",
                "put it under `if accelerator.sync_gradients:`",
            )


def _when_it_counts(rule: Rule) -> Rule:
    """A rule for scripts that accumulate; with one step it would say nothing that matters."""

    def judged(case: Case) -> Iterator[Hit]:
        if case.accumulates:
            yield from rule(case)

    return judged


RULES = tuple(_when_it_counts(it) for it in (zeroed_first, never_entered, modulo, two_blocks, clipped))
