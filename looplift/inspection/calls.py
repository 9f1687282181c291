"""Calls: of the script's functions and classes, of methods, of the library."""

from __future__ import annotations

import ast
from dataclasses import replace

from looplift.inspection.data import Data, Parameters
from looplift.inspection.joining import combine, data_within, join_all, things_within
from looplift.inspection.machine import DEEPEST, Frame, Machine
from looplift.inspection.scope import Scope
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Inside
from looplift.inspection.values import (
    Args,
    Choice,
    Class,
    Const,
    Function,
    HalfBound,
    Library,
    Mapping,
    Method,
    Partial,
    Sequence,
    Stream,
    Value,
)


def called(machine: Machine, function: Value, args: Args, node: ast.AST) -> Value:
    """What calling `function` gives."""
    from looplift.inspection.libraries import call_library
    from looplift.inspection.methods import call_method

    if isinstance(function, HalfBound):
        function = function.value
    if isinstance(function, Choice):
        with machine.unsure(len(function.options) > 1):
            return join_all([called(machine, it, args, node) for it in function.options])
    if isinstance(function, Function):
        return call_function(machine, function, args, node)
    if isinstance(function, Class):
        return instantiate(machine, function, args, node)
    if isinstance(function, Library):
        return call_library(machine, function, args, node)
    if isinstance(function, Method):
        return call_method(machine, function.of, function.name, args, node)
    if isinstance(function, Partial):
        return called(machine, function.function, _merged(function.args, args), node)
    if isinstance(function, Thing):
        return call_thing(machine, function, args, node)
    return unknown(machine, args, node)


def _merged(first: Args, then: Args) -> Args:
    named = {**first.named, **then.named}
    return Args([*first.items, *then.items], then.rest or first.rest, named)


def unknown(machine: Machine, args: Args, node: ast.AST, path: str = "") -> Thing:
    """What a call into code that is not in the text gives.

    Where an Accelerator goes in, prepared things may come out, and what went in with it may be prepared in place.
    """
    things = [it for value in args.every for it in things_within(value)]
    handed = any(it.kind == "accelerator" for it in things)
    for it in things:
        it.facts["escaped"] = True
        if handed:
            it.facts["handed"] = True
    if any(it.models for value in args.every for it in data_within(value)):
        machine.note("opaque", node, None)  # what happens to the loss in there is not in the text
    by_rank = any(it.local or it.rank for value in args.every for it in data_within(value))
    found = Thing(node=node, given=handed, path=path)
    if by_rank:
        found.own_facts["sharded"] = node
    return found


def call_function(machine: Machine, function: Function, args: Args, node: ast.AST) -> Value:
    """Go through a function of the script with these arguments."""
    from looplift.inspection.expressions import evaluate
    from looplift.inspection.statements import run_block

    machine.called.add(function.node)
    active = [it.node for it in machine.frames]
    if function.node in active or len(active) >= DEEPEST or machine.spent:
        return Thing(node=node, given=True)
    scope = Scope(function.scope)
    frame = Frame(function.node)
    outer_root = machine.root
    if machine.root is None:
        machine.root = function.node
    insides = [Inside("ranks", function.node, function.ranks, local=True)] if function.ranks else []
    insides += [Inside("no_grad", function.node)] if function.no_grad else []
    outer_scope = machine.scope
    machine.frames.append(frame)
    try:
        with machine.within(*insides):
            _bind(machine, function, args, scope)
            if isinstance(function.node, ast.Lambda):
                return evaluate(machine, scope, function.node.body)
            run_block(machine, scope, function.node.body)
    finally:
        machine.frames.pop()
        machine.root = outer_root
        machine.scope = outer_scope
    if frame.yields:
        return Stream(join_all(frame.yields), frame.loader)
    return join_all(frame.returns) if frame.returns else Const(None)


def _bind(machine: Machine, function: Function, args: Args, scope: Scope) -> None:
    """Give the parameters their values."""
    from looplift.inspection.expressions import evaluate

    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    values = [*([function.bound] if function.bound is not None else []), *args.items]
    defaults: dict[str, ast.expr] = {}
    for parameter, default in zip(reversed(positional), reversed(spec.defaults), strict=False):
        defaults[parameter.arg] = default
    for parameter, kw_default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if kw_default is not None:
            defaults[parameter.arg] = kw_default
    for index, parameter in enumerate([*positional, *spec.kwonlyargs]):
        name = parameter.arg
        if index < len(values) and index < len(positional):
            value = values[index]
        elif name in args.named:
            value = args.named[name]
        elif args.rest is not None and index < len(positional):
            rest = args.rest
            value = rest.part(index - len(values)) if isinstance(rest, Thing) and not rest.kind else rest
        elif name in defaults:
            value = evaluate(machine, function.scope, defaults[name])
            if "*" in args.named and isinstance(value, Const) and not isinstance(value.value, (int, float)):
                value = Thing(node=parameter, given=True, name=name)
        else:
            value = Thing(node=parameter, given=True, name=name)
        scope.names[name] = value
    if spec.vararg is not None:
        scope.names[spec.vararg.arg] = Sequence(values[len(positional) :], args.rest)
    if spec.kwarg is not None:
        known = {it.arg for it in (*positional, *spec.kwonlyargs)}
        more = {it: value for it, value in args.named.items() if it not in known and not it.startswith("*")}
        scope.names[spec.kwarg.arg] = Mapping(dict(more), args.named.get("**"))


def instantiate(machine: Machine, cls: Class, args: Args, node: ast.AST) -> Thing:
    """Make an object of a class of the script."""
    from looplift.inspection.accelerators import make
    from looplift.inspection.definitions import kind_of_class

    kind = kind_of_class(cls)
    thing = Thing(own_kind=kind, node=node, cls=cls, path=cls.library)
    machine.called.add(cls.node)
    if kind == "accelerator":
        make(machine, thing, args, node)
    if kind in ("dataset", "sampler") or "Sampler" in cls.node.name:
        from looplift.inspection.datasets import look_at_class

        look_at_class(thing, cls)
    start = cls.find("__init__")
    if isinstance(start, Function):
        call_function(machine, replace(start, bound=thing), args, node)
    else:
        fields = [
            it.target.id
            for it in cls.node.body
            if isinstance(it, ast.AnnAssign) and isinstance(it.target, ast.Name)
        ]
        thing.attrs.update(zip(fields, args.items, strict=False))
        thing.attrs.update({name: it for name, it in args.named.items() if not name.startswith("*")})
    return thing


def call_thing(machine: Machine, thing: Thing, args: Args, node: ast.AST) -> Value:
    """An object is called: a model, a loss, or something unknown."""
    from looplift.inspection.methods import call_method

    own = thing.cls.find("__call__") if thing.cls is not None and thing.kind != "model" else None
    if isinstance(own, Function):
        return call_function(machine, replace(own, bound=thing), args, node)
    owner = thing.part_of if thing.kind == "" else None
    if owner is not None and thing.name.startswith("."):
        return call_method(machine, owner, thing.name[1:], args, node)
    drawn = any(it.form == "batch" for value in args.every for it in data_within(value))
    if thing.kind == "" and thing.wrap == "prepared" and drawn:
        thing.kind = "model"  # what else is prepared and called with a batch
    if thing.kind == "model":
        return forward(machine, thing, args, node)
    if thing.kind == "loss":
        return combine(args.every, "loss")
    data = [it for value in args.every for it in data_within(value)]
    if thing.kind in ("", "partial") and data:
        if any(it.models for it in data):
            return combine(args.every, "loss")
        if drawn:
            return forward(machine, thing, args, node)
    return unknown(machine, args, node)


def forward(machine: Machine, model: Thing, args: Args, node: ast.AST) -> Data:
    """A forward pass: rows of predictions, or a loss."""
    data = combine(args.every)
    machine.touch(model)
    machine.note("forward", node, model, training=machine.training, data=data)
    grad = machine.training and not model.whole.facts.get("frozen")
    inner = {id(it): it for it in (*data.models, *([model] if grad else []))}
    return Data(
        "rows",
        local=data.local,
        loader=data.loader,
        loop=data.loop,
        models=tuple(inner.values()),
        forward=node,
        from_model=True,
        sure=data.sure and machine.sure,
    )


def parameters_within(value: Value | None, depth: int = 4) -> list[Thing]:
    """The models whose parameters are in an optimizer's arguments."""
    if isinstance(value, Parameters):
        return [value.model]
    if not depth:
        return []
    inner: list[Value | None] = []
    if isinstance(value, Sequence):
        inner = [*value.items, value.rest]
    elif isinstance(value, Mapping):
        inner = [*value.items.values(), value.rest]
    elif isinstance(value, Choice):
        inner = list(value.options)
    elif isinstance(value, Stream):
        inner = [value.element]
    elif isinstance(value, Args):
        inner = list(value.every)
    return [model for it in inner for model in parameters_within(it, depth - 1)]


def is_callback(value: Value) -> bool:
    """A function of the script, or a method."""
    return isinstance(value, (Function, Method, Partial))
