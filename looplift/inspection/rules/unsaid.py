"""What the text of a script cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

from looplift.inspection.case import Case, for_one_process
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event

# (question, kind, events that it is about)
Question = tuple[str, str, list[Event]]


def questions(case: Case, plain: bool) -> Iterator[Question]:
    """The questions that a script leaves open, with the lines that they are about."""
    if case.trace.partial:
        yield "what the rest of this file does: it is so long that only a part of it was followed", "", []
    if not case.backwards:
        return
    yield (
        "whether the processes really share the rows out and end with the same weights: run it on two, as "
        "`looplift check` does with an exercise",
        "",
        [],
    )
    if case.of("scheduler"):
        yield "the learning rate at each step: it depends on the number of rows, processes and epochs", "", []
    if not plain:
        yield from _of_accelerate(case)
    opaque = case.of("opaque")
    if opaque:
        yield "what happens to the loss or the predictions in code that is not in this file", "", opaque


def _of_accelerate(case: Case) -> Iterator[Question]:
    if not case.accumulates and case.precise:
        bare = [it for it in case.backwards if not it.through and not _only_ddp(it)]
        if bare:
            yield (
                "whether a config file or `accelerate launch` asks for mixed precision or accumulation: then backward "
                "has to go through the Accelerator",
                "plain-backward",
                bare,
            )
        loose = [
            it
            for it in case.of("step")
            if isinstance(it.of, Thing) and not it.of.wrap and not it.of.root.given
        ]
        if loose:
            yield (
                "whether a config file or `accelerate launch` asks for mixed precision or accumulation: then the "
                "optimizer has to be prepared",
                "unprepared-optimizer",
                loose,
            )
    prints = [it for it in case.of("print") if it.facts["how"] == "every" and not for_one_process(it)]
    if prints:
        yield (
            "whether every process is meant to print: accelerator.print prints once",
            "printed-by-every-rank",
            prints,
        )
    bars = [it for it in case.of("print") if it.facts["how"] == "bar" and not for_one_process(it)]
    if bars:
        yield (
            "whether every process is meant to draw a bar: disable=not accelerator.is_local_main_process draws one",
            "printed-by-every-rank",
            bars,
        )
    again = [it for it in case.of("prepare") if _again(it)]
    if again:
        yield (
            "whether something is really meant to be prepared twice: with accelerate 1.15 it changes nothing",
            "prepared-twice",
            again,
        )
    alone = [
        it for it in case.of("forward") if it.ranks is not None and getattr(it.of, "wrap", "") == "prepared"
    ]
    if alone:
        yield (
            "whether the model has buffers, as BatchNorm has: then its forward pass waits for the other processes",
            "evaluated-on-main-only",
            alone,
        )


def _again(event: Event) -> bool:
    """Prepared before, by another line."""
    return event.sure and any(
        isinstance(it, Thing) and it.wrap == "prepared" and it.facts.get("prepared at") is not event.node
        for it in event.args
    )


def _only_ddp(event: Event) -> bool:
    return (
        event.data is not None
        and bool(event.data.models)
        and all(it.wrap == "ddp" for it in event.data.models)
    )
