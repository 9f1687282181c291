"""What goes through prepare, in which order it comes back, and whether it is used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, name_of, source
from looplift.inspection.joining import things_within
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event
from looplift.inspection.values import Mapping, Sequence


def order(case: Case) -> Iterator[Hit]:
    """The names on the left of prepare are those of its arguments, in another order or number."""
    for event in case.of("prepare"):
        call = event.node
        if not isinstance(call, ast.Call) or any(isinstance(it, ast.Starred) for it in call.args):
            continue
        given = [ast.unparse(it) for it in call.args]
        for target in event.facts.get("targets", []):
            if any(isinstance(it, ast.Starred) for it in target.elts):
                continue
            names = [ast.unparse(it) for it in target.elts]
            if len(names) != len(given):
                yield Hit(
                    "wrong-unpacking",
                    call,
                    f"prepare is given {_many(given)}, and {_many(names)} on the left take what comes back",
                    "write as many names on the left as arguments, in their order",
                )
                continue
            swapped = [(a, b) for a, b in zip(given, names, strict=True) if a != b and b in given]
            if swapped:
                a, b = swapped[0]
                yield Hit(
                    "wrong-unpacking",
                    call,
                    f"{b} stands where {a} comes back: prepare keeps the order of its arguments",
                    "give the names on the left in the order of the arguments",
                )
    for event in case.of("unpacked alone"):
        yield Hit(
            "wrong-unpacking",
            event.node,
            "prepare gives a single object back as it is, not in a tuple",
            "leave the comma out: model = accelerator.prepare(model)",
        )


def _many(names: list[str]) -> str:
    return f"{len(names)} object{'' if len(names) == 1 else 's'}"


def lists(case: Case) -> Iterator[Hit]:
    """prepare([model, optimizer]) gives the list back as it was."""
    for event in case.of("prepare"):
        if any(isinstance(it, (Sequence, Mapping)) and any(things_within(it)) for it in event.args):
            yield Hit(
                "prepare-got-a-list",
                event.node,
                "prepare is given a list: it comes back as it was, nothing in it prepared",
                "take the brackets away, or write a * before the list",
            )


def results(case: Case) -> Iterator[Hit]:
    """The result of prepare is thrown away."""
    for event in case.of("prepare"):
        given = {id(it) for it in event.args if isinstance(it, Thing) and it.kind in ("model", "loader", "")}
        used = [
            model for it in case.backwards if it.data for model in (*it.data.models, it.data.loader) if model
        ]
        if event.dropped and any(id(it) in given for it in used):
            yield Hit(
                "prepared-model-unused",
                event.node,
                "what prepare gives back is thrown away: the loop goes on with "
                "the model and the loader that went in",
                f"keep it: {_kept(event)} = ...prepare(...)",
            )


def _kept(event: Event) -> str:
    call = event.node
    return ", ".join(source(it, 24) for it in call.args) if isinstance(call, ast.Call) else "model"


def frozen(case: Case) -> Iterator[Hit]:
    """A model without a trainable parameter is prepared."""
    for event in case.of("prepare"):
        for model in event.frozen:
            if model.kind == "model":
                yield Hit(
                    "frozen-model-prepared",
                    event.node,
                    f"every parameter of {name_of(model, 'the model')} is "
                    "frozen: on several processes prepare stops with an error",
                    "bring it to accelerator.device instead, and prepare only what is trained",
                )
    for event in case.of("freeze"):
        thawed = event.whole.facts.get(
            "thawed"
        )  # frozen for a while only, as the other network's turn needs it
        if event.late and event.sure and not thawed and not case.setting_find_unused():
            yield Hit(
                "unused-parameters",
                event.node,
                "parameters are frozen after the model was prepared: the "
                "processes still wait for their gradients",
                "freeze first, then prepare",
            )


RULES = (order, lists, results, frozen)
