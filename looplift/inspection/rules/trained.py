"""What is trained: whether it is what prepare gave back, and whether the optimizer holds it."""

from __future__ import annotations

from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, known, name_of
from looplift.inspection.joining import data_within, things_within
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event
from looplift.inspection.values import Mapping, Sequence


def _lost(case: Case) -> dict[int, Event]:
    """Objects whose prepared selves nobody keeps: id of the object, and the call."""
    lost: dict[int, Event] = {}
    for event in case.of("prepare"):
        listed = [
            it for arg in event.args if isinstance(arg, (Sequence, Mapping)) for it in things_within(arg)
        ]
        dropped = [it for it in event.args if event.dropped and isinstance(it, Thing)]
        lost.update({id(it.root): event for it in (*listed, *dropped)})
    return lost


def models(case: Case) -> Iterator[Hit]:
    """The model that is trained is prepared, and it is the prepared one that is called."""
    lost = _lost(case)
    averaged = any(it.value is not None and _of_gradients(it) for it in case.of("collective"))
    held = {id(it.whole) for event in case.trace.of("optimizer") for it in event.thing.facts["models"]}
    for event in case.backwards:
        for model in event.data.models if event.data is not None and event.data.sure else ():
            hit = _model(case, model, event, lost)
            if (
                hit is not None
                and not averaged
                and (id(model.whole) in held or (not held and len(event.data.models) == 1))
            ):
                yield hit


def _of_gradients(event: Event) -> bool:

    return any(it.form == "gradient" for it in data_within(event.value))


def _model(case: Case, model: Thing, event: Event, lost: dict[int, Event]) -> Hit | None:
    forward = next((it for it in case.of("forward") if it.of is model and it.training), None)
    if (
        forward is None
        or not forward.sure
        or model.wrap in ("prepared", "ddp")
        or model.whole.kind != "model"
    ):
        return None
    name = name_of(model, "the model")
    if model.wrap == "around":
        return Hit(
            "around-the-wrapper",
            forward.node,
            f"the forward pass goes around the prepared {name}: gradients are "
            "not averaged over the processes",
            "call the prepared model itself, not .module or unwrap_model",
        )
    if not known(model) or id(model.root) in lost or id(model.whole) in lost:
        return None
    if model.whole.facts.get("prepared at") is not None or model.facts.get("prepared at") is not None:
        return Hit(
            "prepared-model-unused",
            forward.node,
            f"{name} was prepared, but this calls the one that went in",
            "call what prepare gave back",
        )
    return Hit(
        "unprepared-model",
        forward.node,
        f"{name} is trained and was not prepared: every process trains a model of its own",
        "pass it to accelerator.prepare, and call what comes back",
    )


def loaders(case: Case) -> Iterator[Hit]:
    """The loader that is trained from is prepared, and it is the prepared one that is looped over."""
    lost = _lost(case)
    for event in case.backwards:
        loader = event.data.loader if event.data is not None and event.data.sure else None
        if loader is None or loader.wrap or loader.kind not in ("", "loader") or not known(loader):
            continue
        if loader.facts.get("sharded") or id(loader.root) in lost or not event.data.models:
            continue
        loop = event.data.loop or event.node
        line = next((it.node for it in case.of("iterate") if it.of is loader and it.root is event.root), loop)
        name = name_of(loader, "this")
        if loader.facts.get("prepared at") is not None:
            yield Hit(
                "prepared-loader-unused",
                line,
                f"{name} was prepared, but this loops over the one that went in",
                "loop over what prepare gave back",
            )
        else:
            yield Hit(
                "unprepared-loader",
                line,
                f"{name} was not prepared: every process reads all of its rows",
                "pass it to accelerator.prepare, and loop over what comes back",
            )


def optimizers(case: Case) -> Iterator[Hit]:
    """With accumulation or mixed precision, only a prepared optimizer knows when to step."""
    if not case.accumulates and case.precise:
        return
    for event in case.of("step"):
        optimizer = event.of
        if not isinstance(optimizer, Thing) or optimizer.wrap or not known(optimizer) or not event.sure:
            continue
        learned = [
            model for it in case.backwards if it.data and it.root is event.root for model in it.data.models
        ]
        held = {id(it.whole) for it in optimizer.facts.get("models", [])}
        if not any(it.wrap == "prepared" and (not held or id(it.whole) in held) for it in learned):
            continue
        why = "gradients are accumulated" if case.accumulates else "mixed precision is asked for"
        yield Hit(
            "unprepared-optimizer",
            event.node,
            f"{name_of(optimizer, 'the optimizer')} was not prepared though "
            f"{why}: it does not know when to step",
            "prepare it too, and step what comes back",
        )


def other_models(case: Case) -> Iterator[Hit]:
    """The optimizer holds the parameters of a model that is never called."""
    called = {id(it.of.whole) for it in case.trace.of("forward") if isinstance(it.of, Thing)}
    for event in case.of("optimizer"):
        models_held = event.thing.facts["models"]
        stepped = any(
            isinstance(it.thing, Thing) and it.thing.root is event.thing.root for it in case.of("step")
        )
        trained = [
            it for back in case.backwards if back.data and back.root is event.root for it in back.data.models
        ]
        if not models_held or not stepped or not trained:
            continue
        every = [*models_held, *trained]
        if any(not known(it) or it.whole.facts.get("escaped") for it in every):
            continue
        if all(id(it.whole) not in called and it.whole.node is not None for it in models_held):
            yield Hit(
                "optimizer-of-another-model",
                event.node,
                "the optimizer holds the parameters of a model that the "
                "loop never calls: the trained model never changes",
                "make the optimizer from the parameters of the model that is called",
            )


RULES = (models, loaders, optimizers, other_models)
