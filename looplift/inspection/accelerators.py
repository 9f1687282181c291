"""The Accelerator: its attributes and methods."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from looplift.inspection.data import Data
from looplift.inspection.gathering import gather
from looplift.inspection.joining import combine, data_within, join_all
from looplift.inspection.machine import Machine
from looplift.inspection.thing import Thing
from looplift.inspection.values import (
    Args,
    Choice,
    Const,
    Function,
    HalfBound,
    Method,
    Sequence,
    Stream,
    Value,
)
from looplift.inspection.withs import context

# Attributes that only an Accelerator has: an object that is asked for one must be an Accelerator.
ONLY_ACCELERATORS = {
    "is_main_process", "is_local_main_process", "wait_for_everyone", "gather_for_metrics", "unwrap_model",
    "sync_gradients", "accumulate", "prepare_model", "prepare_data_loader", "prepare_optimizer", "prepare_scheduler",
    "pad_across_processes", "init_trackers", "is_last_process",
}  # fmt: skip
_RANKS = {
    "is_main_process": Data(local=True, rank="main"),
    "is_local_main_process": Data(local=True, rank="main"),
    "is_last_process": Data(local=True, rank="some"),
    "process_index": Data(local=True, rank="index"),
    "local_process_index": Data(local=True, rank="index"),
    "num_processes": Data(rank="processes"),
    "use_distributed": Data(rank="several"),
    "sync_gradients": Data(rank="sync"),
}
_CONTEXTS = {
    "no_sync": "no_sync",
    "autocast": "autocast",
    "join_uneven_inputs": "uneven",
    "main_process_first": "main_process_first",
    "local_main_process_first": "local_main_process_first",
}
_GATHERS = ("gather", "gather_for_metrics", "reduce", "pad_across_processes")


def make(machine: Machine, thing: Thing, args: Args, node: ast.AST) -> Thing:
    """An Accelerator is made."""
    thing.own_facts.update(_settings(args))
    machine.touch(thing)
    machine.note("accelerator", node, thing, args=args)
    return thing


def _settings(args: Args) -> dict[str, object]:
    """What its arguments decide: steps of accumulation, precision, how loaders are shared out."""
    named = args.named
    facts: dict[str, object] = {"args": args}
    plugin = named.get("gradient_accumulation_plugin")
    steps = named.get("gradient_accumulation_steps")
    if steps is None and isinstance(plugin, Thing):
        given = plugin.facts.get("args")
        steps = given.get(0, "num_steps") if isinstance(given, Args) else None
    facts["steps"] = steps if steps is not None else Const(1)
    facts["precision"] = named.get("mixed_precision")
    config = named.get("dataloader_config")
    inner = config.facts.get("args") if isinstance(config, Thing) else None
    for name in ("split_batches", "even_batches", "dispatch_batches"):
        value = named.get(name) or (inner.named.get(name) if isinstance(inner, Args) else None)
        facts[name] = value.value if isinstance(value, Const) else None if value is None else "?"
    follows = named.get("step_scheduler_with_optimizer")
    facts["follows"] = not (isinstance(follows, Const) and follows.value is False)
    return facts


def accelerator_attribute(machine: Machine, thing: Thing, name: str, node: ast.AST) -> Value:
    if name in _RANKS:
        return _RANKS[name]
    if name == "state":
        return thing
    if name == "gradient_accumulation_steps":
        steps = thing.facts.get("steps")
        return steps if isinstance(steps, Value) else Thing(given=True)
    if name == "device":
        device = thing.root.part(".device")
        if isinstance(device, Thing):
            device.kind = "device"
            device.facts["mine"] = True
        return device
    return Method(thing, name)


def call_accelerator(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    """A method of the Accelerator."""
    machine.touch(thing)
    if name == "prepare" or name.startswith("prepare_"):
        return _prepare(machine, thing, name, args, node)
    if name in _GATHERS:
        return gather(machine, name, args.get(0, "tensor") or args.get(0, "input_data"), node, thing)
    if name in _CONTEXTS:
        return context(_CONTEXTS[name], node, thing)
    handler = _METHODS.get(name)
    if handler is not None:
        return handler(machine, thing, name, args, node)
    return Thing(node=node, given=True)


def _prepare(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    items = list(args.items) or [it for key, it in args.named.items() if key != "device_placement"][:1]
    plain = args.named.get("evaluation_mode")
    if name == "prepare_model" and isinstance(plain, Const) and plain.value is True:
        return items[0] if items else Thing(node=node, given=True)
    event = machine.note(
        "prepare",
        node,
        thing,
        args=items,
        rest=args.rest,
        dropped=machine.dropped is node,
        frozen=[it for it in items if isinstance(it, Thing) and it.whole.facts.get("frozen")],
    )
    results = [prepared(machine, it, node, thing) for it in items]
    rest = prepared(machine, args.rest, node, thing) if args.rest is not None else None
    if len(results) == 1 and rest is None:
        return results[0]
    return Sequence(results, rest, origin=event)


def prepared(machine: Machine, value: Value, node: ast.AST, accelerator: Thing | None) -> Value:
    """What prepare gives back for one object."""
    if isinstance(value, HalfBound):
        value = value.value
    if isinstance(value, Choice):
        return join_all([prepared(machine, it, node, accelerator) for it in value.options])
    if not isinstance(value, Thing):
        return value
    found = value.wrapped("prepared", node)
    value.facts.setdefault("prepared at", node)
    value.facts.setdefault("accelerator", accelerator)
    machine.touch(found)
    return found


def _backward(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    value = args.get(0, "loss")
    machine.note("backward", node, thing, through=True, value=value, data=loss_of(value))
    return Const(None)


def loss_of(value: Value | None) -> Data | None:
    """The data of a loss, when it is known."""
    found = list(data_within(value))
    return combine([value]) if found else None


def _wait(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    machine.note("collective", node, thing, name=name, value=None)
    return Const(None)


def _unwrap(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    model = args.get(0, "model")
    if isinstance(model, Choice):
        model = model.options[0]
    if not isinstance(model, Thing):
        return Thing(node=node, given=True)
    model.kind = model.kind or "model"
    return model.wrapped("around", node) if model.wrap else model


def _accumulate(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    machine.note("accumulate", node, thing, models=args.items)
    return context("accumulate", node, thing)


def _print(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    machine.note("print", node, None, how="once" if name == "print" else "log", value=Sequence(args.every))
    return Const(None)


def _track(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    """`init_trackers`, `log`, `end_training`."""
    machine.note("track", node, thing, name=name)
    return _print(machine, thing, name, args, node) if name == "log" else Const(None)


def _clip(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    machine.note("clip", node, thing, through=True)
    return Data()


def _unscale(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    machine.note("unscale", node, thing)
    return Const(None)


def _save(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    machine.note("save", node, None, how=name, value=args.get(0, "obj"), through=True)
    return Const(None)


def _state(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    return Thing(node=node, given=True)


def _only(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    function = args.get(0, "function")
    if isinstance(function, Function):
        return replace(function, ranks="main" if "main" in name else "some")
    return function or Thing(node=node, given=True)


def _trigger(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    machine.note("collective", node, thing, name=name, value=None)
    return Data()


def _skip(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    return args.get(0, "dataloader") or Thing(node=node, given=True)


def _split(machine: Machine, thing: Thing, name: str, args: Args, node: ast.AST) -> Value:
    return Stream(Data(local=True))


_METHODS: dict[str, Callable[[Machine, Thing, str, Args, ast.AST], Value]] = {
    "backward": _backward,
    "wait_for_everyone": _wait,
    "unwrap_model": _unwrap,
    "accumulate": _accumulate,
    "print": _print,
    "log": _track,
    "init_trackers": _track,
    "end_training": _track,
    "clip_grad_norm_": _clip,
    "clip_grad_value_": _clip,
    "unscale_gradients": _unscale,
    "save": _save,
    "save_state": _save,
    "save_model": _save,
    "get_state_dict": _state,
    "on_main_process": _only,
    "on_local_main_process": _only,
    "on_last_process": _only,
    "on_process": _only,
    "on_local_process": _only,
    "check_trigger": _trigger,
    "skip_first_batches": _skip,
    "split_between_processes": _split,
}
