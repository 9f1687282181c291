"""Methods of what the script works with: models, optimizers, schedulers, loaders, lists and dicts."""

from __future__ import annotations

import ast

from looplift.inspection.accelerators import call_accelerator
from looplift.inspection.attributes import freeze, get_attribute
from looplift.inspection.containers import call_collection
from looplift.inspection.data import Data, Parameters, State
from looplift.inspection.joining import combine, data_within, join_all
from looplift.inspection.machine import Machine
from looplift.inspection.tensors import call_data, moved
from looplift.inspection.thing import Thing
from looplift.inspection.values import (
    Args,
    Choice,
    Class,
    Const,
    Function,
    Library,
    Mapping,
    Method,
    Sequence,
    Stream,
    Value,
)
from looplift.inspection.withs import context

_SAME = {"train", "eval", "half", "float", "double", "bfloat16", "apply", "share_memory", "requires_grad_", "to",
         "cuda", "cpu", "xpu", "compile", "type", "to_empty"}  # fmt: skip
_PARAMETERS = {
    "parameters",
    "named_parameters",
    "buffers",
    "modules",
    "named_modules",
    "children",
    "named_children",
}
_COUNTING = {"add_batch", "update", "add", "compute"}


def call_method(machine: Machine, of: Value, name: str, args: Args, node: ast.AST) -> Value:
    """What `of.name(...)` gives."""
    if isinstance(of, Thing):
        return _of_thing(machine, of, name, args, node)
    if isinstance(of, Choice):
        with machine.unsure(len(of.options) > 1):
            return join_all([call_method(machine, it, name, args, node) for it in of.options])
    if isinstance(of, Data):
        return call_data(machine, of, name, args, node)
    if isinstance(of, Parameters):
        return _of_parameters(machine, of, name, args, node)
    if isinstance(of, (Sequence, Mapping, Stream, Const)):
        return call_collection(machine, of, name, args, node)
    if isinstance(of, State):
        return of
    if isinstance(of, Method):
        from looplift.inspection.calls import unknown

        return unknown(machine, args, node)
    return Thing(node=node, given=True)


def _of_thing(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    from looplift.inspection.calls import call_function, called, unknown

    own = get_attribute(machine, thing, name, node) if thing.cls is not None or name in thing.attrs else None
    if isinstance(own, Function):
        return call_function(machine, own, args, node)
    if isinstance(own, (Class, Library, Thing)) and own is not thing and not _is_plain_part(own, thing):
        return called(machine, own, args, node)
    if thing.kind == "":
        _promote(thing, name, args)
    if thing.kind == "accelerator":
        return call_accelerator(machine, thing, name, args, node)
    if thing.kind == "model":
        return _of_model(machine, thing, name, args, node)
    if thing.kind == "optimizer":
        return _of_optimizer(machine, thing, name, args, node)
    if thing.kind == "scheduler":
        if name == "step":
            value = args.get(0, "metrics")
            machine.note("schedule", node, thing, value=value)
        return Data("number")
    if thing.kind in ("scaler", "trainer"):
        return _of_helper(machine, thing, name, args, node)
    if name in ("set_epoch",) and thing.kind in ("sampler", "loader", ""):
        if thing.kind == "sampler":
            machine.note("by hand", node, thing, what="set_epoch")
        return Const(None)
    return _of_unknown(machine, thing, name, args, node, unknown)


def _is_plain_part(own: Value, thing: Thing) -> bool:
    return isinstance(own, Thing) and own.part_of is thing and own.kind == ""


def _promote(thing: Thing, name: str, args: Args) -> None:
    """Learn what an object is from what it is asked for."""
    if thing.cls is not None:
        return
    word = thing.root.name.lower()
    if name in ("parameters", "named_parameters", "requires_grad_") or (
        name in ("train", "eval") and not args.items
    ):
        if "trainer" not in word:
            thing.kind = "model"
    elif name == "zero_grad":
        thing.kind = "model" if "model" in word or "net" in word else "optimizer"
    elif name in ("get_last_lr", "get_lr"):
        thing.kind = "scheduler"
    elif name == "step":
        thing.kind = "scheduler" if "sched" in word else "optimizer" if "opt" in word else ""
    elif name == "backward" and thing.name in ("accelerator", "acc", "_accelerator"):
        thing.kind = "accelerator"


def _of_model(machine: Machine, model: Thing, name: str, args: Args, node: ast.AST) -> Value:
    from looplift.inspection.calls import forward

    machine.touch(model)
    if name in _PARAMETERS:
        return Parameters(model)
    if name in ("state_dict", "get_state_dict"):
        return State(model)
    if name in ("to", "cuda", "xpu"):
        moved(machine, model, name, args, node)
    if name in ("train", "eval"):
        machine.note("mode", node, model, name=name)
    if name == "zero_grad":
        machine.note("zero_grad", node, model)
    if name == "requires_grad_":
        off = args.get(0, "requires_grad")
        freeze(machine, model, isinstance(off, Const) and off.value is False, node)
    if name in _SAME:
        return model
    if name == "no_sync":
        return context("no_sync", node, model)
    if name in ("save_pretrained", "push_to_hub"):
        guarded = "is_main_process" in args.named
        machine.note("save", node, None, how=name, value=State(model), through=guarded)
        return Const(None)
    if name in ("forward", "__call__") or any(it for value in args.every for it in data_within(value)):
        return forward(machine, model, args, node)
    return model.part(f".{name}()")


def _of_parameters(machine: Machine, of: Parameters, name: str, args: Args, node: ast.AST) -> Value:
    if name == "requires_grad_":
        off = args.get(0, "requires_grad")
        freeze(machine, of.model, isinstance(off, Const) and off.value is False, node)
    return of


def _of_optimizer(machine: Machine, optimizer: Thing, name: str, args: Args, node: ast.AST) -> Value:
    from looplift.inspection.calls import called, is_callback

    machine.touch(optimizer)
    if name == "zero_grad":
        machine.note("zero_grad", node, optimizer)
    elif name == "step":
        closure, dropped = args.get(0, "closure"), machine.dropped is node
        if closure is not None and is_callback(closure):
            called(machine, closure, Args(), node)
        machine.note("step", node, optimizer, closure=closure, dropped=dropped)
    elif name == "state_dict":
        return State(optimizer)
    return Const(None)


def _of_helper(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    """A GradScaler by hand, or transformers' Trainer."""
    if thing.kind == "trainer":
        return Thing(node=node, given=True)
    if name == "scale":
        return combine(args.items, "loss")
    if name == "step" and args.items and isinstance(args.items[0], Thing):
        machine.note("step", node, args.items[0], closure=None, dropped=True)
    machine.note("by hand", node, thing, what="scaler")
    return Const(None)


def _of_unknown(
    machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST, unknown: object
) -> Value:
    """A method of an object that nothing is known of."""
    from looplift.inspection import calls

    if name in ("to", "cuda", "cpu") and not thing.wrap:
        moved(machine, thing, name, args, node)
        return thing
    if name == "set_epoch":
        return Const(None)
    padded = next((it for value in args.every for it in data_within(value) if it.padded), None)
    if padded is not None and name in _COUNTING:
        machine.note("counted", node, thing, data=padded)
    if name in (
        "map",
        "filter",
        "shuffle",
        "with_format",
        "select",
        "remove_columns",
        "rename_column",
        "set_format",
    ):
        part = thing.part(f".{name}()")
        return part if name != "set_format" else Const(None)
    if name == "shard":
        found = Thing(own_kind="dataset", node=node)
        by_rank = any(it.rank == "index" for value in args.every for it in data_within(value))
        found.own_facts.update({"sharded": node, "sharded for sure": by_rank})
        return found
    handed = Args([*args.items, thing], args.rest, args.named) if thing.cls is not None else args
    found = calls.unknown(machine, handed, node)
    found.part_of = thing if thing.kind == "model" else None
    if thing.kind == "model":
        found.own_kind = "model"
    if thing.part_of is not None and thing.whole.kind == "model":
        found.part_of = thing  # model.backbone.layers(): still a part of the model
    return found
