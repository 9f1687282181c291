"""Expressions: what they stand for."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable

from looplift.inspection.arithmetic import calculated
from looplift.inspection.data import Data
from looplift.inspection.joining import combine
from looplift.inspection.machine import Machine
from looplift.inspection.scope import Scope
from looplift.inspection.thing import Thing
from looplift.inspection.values import (
    Args,
    Const,
    Function,
    HalfBound,
    Library,
    Method,
    Stream,
    Value,
)

# Names that scripts import under so often that a file which leaves the import to another (a notebook's first cell,
# a star import) can still be read.
WELL_KNOWN = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "dist": "torch.distributed",
    "np": "numpy",
    "os": "os",
    "Accelerator": "accelerate.Accelerator",
    "notebook_launcher": "accelerate.notebook_launcher",
    "set_seed": "accelerate.utils.set_seed",
    "DataLoader": "torch.utils.data.DataLoader",
    "cross_entropy": "torch.nn.functional.cross_entropy",
    "OneCycleLR": "torch.optim.lr_scheduler.OneCycleLR",
    "get_linear_schedule_with_warmup": "transformers.get_linear_schedule_with_warmup",
    "DistributedSampler": "torch.utils.data.DistributedSampler",
    "tqdm": "tqdm.tqdm",
}


def evaluate(machine: Machine, scope: Scope, node: ast.expr) -> Value:
    """What an expression stands for; what happens in it is noted on the way."""
    handler = _HANDLERS.get(type(node))
    if machine.spent or handler is None:
        return Thing(node=node, given=True)
    value = handler(machine, scope, node)
    machine.touch(value)
    return value


def call(machine: Machine, function: Value, args: Args, node: ast.AST) -> Value:
    """What calling a value gives."""
    from looplift.inspection.calls import called

    return called(machine, function, args, node)


def attribute(machine: Machine, value: Value, name: str, node: ast.AST) -> Value:
    """What `value.name` stands for."""
    from looplift.inspection.attributes import get_attribute

    return get_attribute(machine, value, name, node)


def _constant(machine: Machine, scope: Scope, node: ast.Constant) -> Value:
    return Const(node.value)


def _name(machine: Machine, scope: Scope, node: ast.Name) -> Value:
    value = scope.find(node.id)
    if isinstance(value, HalfBound):
        here = {it.which for it in machine.inside if it.kind == "ranks"}
        if value.ranks not in here:
            machine.note("half bound", node, None, name=node.id, ranks=value.ranks)
            scope.names[node.id] = value.value
        return value.value
    if value is not None:
        return value
    if node.id in WELL_KNOWN:
        return Library(WELL_KNOWN[node.id])
    if hasattr(builtins, node.id):
        return Library(f"builtins.{node.id}")
    unbound = Thing(node=node, given=True, name=node.id)
    machine.module.names.setdefault(node.id, unbound)
    return unbound


def _attribute(machine: Machine, scope: Scope, node: ast.Attribute) -> Value:
    value = attribute(machine, evaluate(machine, scope, node.value), node.attr, node)
    # outputs.logits that is not called is data like the outputs
    return value.of if isinstance(value, Method) and isinstance(value.of, Data) else value


def _function(machine: Machine, scope: Scope, node: ast.expr) -> Value:
    """What is called."""
    if isinstance(node, ast.Attribute):
        value = attribute(machine, evaluate(machine, scope, node.value), node.attr, node)
        machine.touch(value)
        return value
    return evaluate(machine, scope, node)


def arguments(machine: Machine, scope: Scope, node: ast.Call) -> Args:
    """The arguments of a call."""
    from looplift.inspection.displays import arguments_of

    return arguments_of(machine, scope, node)


def _call(machine: Machine, scope: Scope, node: ast.Call) -> Value:
    # notebook_launcher(train()): the call inside must not be taken for a training of its own.
    dropped = machine.dropped is node
    function = _function(machine, scope, node.func)
    args = arguments(machine, scope, node)
    machine.dropped = node if dropped else None
    machine.scope = scope
    return call(machine, function, args, node)


def _subscript(machine: Machine, scope: Scope, node: ast.Subscript) -> Value:
    from looplift.inspection.items import get_item

    base = evaluate(machine, scope, node.value)
    if isinstance(node.slice, ast.Slice):
        bounds = [evaluate(machine, scope, it) if it else None for it in (node.slice.lower, node.slice.upper)]
        return get_item(machine, base, None, node, bounds)
    return get_item(machine, base, evaluate(machine, scope, node.slice), node, None)


def _binary(machine: Machine, scope: Scope, node: ast.BinOp) -> Value:
    left, right = evaluate(machine, scope, node.left), evaluate(machine, scope, node.right)
    return calculated(machine, node, left, right)


def _logic(machine: Machine, scope: Scope, node: ast.expr) -> Value:
    from looplift.inspection.logic import decided

    return decided(machine, scope, node)


def _display(machine: Machine, scope: Scope, node: ast.expr) -> Value:
    from looplift.inspection.displays import displayed

    return displayed(machine, scope, node)


def _lambda(machine: Machine, scope: Scope, node: ast.Lambda) -> Value:
    return Function(node, scope)


def _text(machine: Machine, scope: Scope, node: ast.JoinedStr) -> Value:
    parts = [evaluate(machine, scope, it.value) for it in node.values if isinstance(it, ast.FormattedValue)]
    return combine(parts) if parts else Const("")


def _starred(machine: Machine, scope: Scope, node: ast.Starred) -> Value:
    return evaluate(machine, scope, node.value)


def _walrus(machine: Machine, scope: Scope, node: ast.NamedExpr) -> Value:
    value = evaluate(machine, scope, node.value)
    scope.bind(node.target.id, value)
    return value


def _await(machine: Machine, scope: Scope, node: ast.Await) -> Value:
    return evaluate(machine, scope, node.value)


def _yield(machine: Machine, scope: Scope, node: ast.Yield | ast.YieldFrom) -> Value:
    from looplift.inspection.looping import element_of, loader_of

    value = evaluate(machine, scope, node.value) if node.value is not None else Const(None)
    if machine.frames:
        frame = machine.frames[-1]
        if isinstance(node, ast.YieldFrom):
            frame.loader = frame.loader or loader_of(value)
            value = element_of(machine, value, node)
        frame.yields.append(value)
        around = next((it.of for it in reversed(machine.inside) if it.kind == "loop" and it.of), None)
        frame.loader = frame.loader or (around if isinstance(around, Thing) else None)
    return Thing(node=node, given=True)


def _comprehension(machine: Machine, scope: Scope, node: ast.expr) -> Value:
    from looplift.inspection.comprehensions import comprehended

    return comprehended(machine, scope, node)


def _slice(machine: Machine, scope: Scope, node: ast.Slice) -> Value:
    return Stream(Data())


_HANDLERS: dict[type[ast.AST], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.Compare: _logic,
    ast.BoolOp: _logic,
    ast.UnaryOp: _logic,
    ast.IfExp: _logic,
    ast.Tuple: _display,
    ast.List: _display,
    ast.Set: _display,
    ast.Dict: _display,
    ast.Lambda: _lambda,
    ast.JoinedStr: _text,
    ast.Starred: _starred,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Slice: _slice,
}
