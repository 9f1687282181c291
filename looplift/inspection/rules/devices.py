"""Moves to devices, and what is asked of the wrapper around a model."""

from __future__ import annotations

from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, accumulates, conditional, name_of, source
from looplift.inspection.data import Data
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Value


def moves(case: Case) -> Iterator[Hit]:
    """A model, batch or constant brought to a device that the Accelerator did not choose."""
    for event in case.of("move"):
        what = event.of
        if event.mine or not event.sure or event.to == "meta":
            continue
        if isinstance(what, Data) and (event.to == "cpu" or what.models):
            continue
        if isinstance(what, Thing) and what.kind not in ("model", ""):
            continue
        if isinstance(what, Thing) and event.to == "cpu" and not _before_prepare(case, what, event.at):
            continue
        name = _name(what)
        if event.named and event.to != "cpu":
            yield Hit(
                "hard-coded-device",
                event.node,
                f"{name} is moved to {event.to}, a device that is named by hand: "
                "every process goes to the same one",
                "take the move out; for a constant of your own use accelerator.device",
            )
        else:
            yield Hit(
                "manual-move",
                event.node,
                f"{name} is moved to {event.to} by hand",
                "take the move out: prepare "
                "places the model and every batch; a constant goes to accelerator.device",
            )


def _name(what: Value | None) -> str:
    if isinstance(what, Thing):
        return name_of(what, "this")
    return "a batch" if isinstance(what, Data) and what.form == "batch" else "a tensor"


def _before_prepare(case: Case, model: Thing, at: int) -> bool:
    return any(
        model.root is it.root
        for event in case.of("prepare")
        if event.at > at
        for it in event.args
        if isinstance(it, Thing)
    )


def attributes(case: Case) -> Iterator[Hit]:
    """An attribute of the model, asked of its wrapper."""
    for event in case.of("attribute"):
        if event.thing.wrap == "prepared" and event.sure:
            yield Hit(
                "attribute-on-wrapper",
                event.node,
                f"on several processes {name_of(event.thing, 'the model')} is a "
                f"wrapper without {event.facts['name']}",
                "read it from accelerator.unwrap_model(model), or from the model before prepare",
            )


def second(case: Case) -> Iterator[Hit]:
    """A second Accelerator that takes back what the first was told."""
    made = case.trace.of("accelerator")
    for index, event in enumerate(made):
        earlier = [it for it in made[:index] if it.root is event.root or it.root is None]
        told = [it for it in earlier if accumulates(it.thing)]
        args = event.facts.get("args")
        bare = isinstance(args, Args) and not args.every
        if told and bare and not accumulates(event.thing) and event.root in case.trace.touched:
            yield Hit(
                "second-accelerator",
                event.node,
                "a second Accelerator() shares its state with the first and sets "
                "its accumulation steps back to 1",
                "make one, and pass it to the function that needs it",
            )


def parallel(case: Case) -> Iterator[Hit]:
    """nn.DataParallel beside an Accelerator."""
    for event in case.of("by hand"):
        if event.facts["what"] == "parallel" and case.trains(event.root) and not any(conditional(event)):
            yield Hit(
                "distributed-by-hand",
                event.node,
                f"{source(event.node)} splits batches inside one process, beside the Accelerator's processes",
                "take it out; prepare the model instead",
            )


RULES = (moves, attributes, second, parallel)
