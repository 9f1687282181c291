"""Comparisons, `and`, `or`, `not`, and one value or another."""

from __future__ import annotations

import ast
from collections.abc import Callable

from looplift.inspection.conditions import both, branches, compared, is_none, opposite
from looplift.inspection.data import Data
from looplift.inspection.expressions import evaluate
from looplift.inspection.joining import combine, join_all
from looplift.inspection.machine import Machine
from looplift.inspection.scope import Scope
from looplift.inspection.thing import Thing
from looplift.inspection.values import Const, Value


def decided(machine: Machine, scope: Scope, node: ast.expr) -> Value:
    """What a comparison or a choice stands for."""
    return _HANDLERS[type(node)](machine, scope, node)


def _compare(machine: Machine, scope: Scope, node: ast.Compare) -> Value:
    if isinstance(node.left, ast.Name) and node.left.id == "__name__":
        return Data(rank="always")
    values = [evaluate(machine, scope, it) for it in (node.left, *node.comparators)]
    last = values[-1]
    if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and isinstance(last, Const) and last.value is None:
        decided = is_none(values[0], node.ops[0])
        if decided is not None:
            return decided
    if isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        return Data(local=combine(values).local, sure=False)
    mixed(machine, node, values)
    found = compared(values[0], node.ops[0], values[1])
    if len(values) > 2:
        return combine(values, found.form)
    return found


def mixed(machine: Machine, node: ast.AST, values: list[Value]) -> None:
    """Note where rows of all processes meet rows of this one only."""
    rows = [it for it in values if isinstance(it, Data) and it.form in ("rows", "batch") and it.sure]
    gathered = [it for it in rows if it.gathered and it.loader]
    own = [it for it in rows if not it.gathered and it.local and it.loader]
    if gathered and own and gathered[0].loader is own[0].loader:
        machine.note("mixed", node, None, data=gathered[0])


def _bool(machine: Machine, scope: Scope, node: ast.BoolOp) -> Value:
    values = [evaluate(machine, scope, it) for it in node.values]
    of_ranks = any(isinstance(it, Data) and it.rank for it in values)
    if isinstance(node.op, ast.Or) and not of_ranks and any(isinstance(it, Thing) for it in values):
        return join_all(values)  # model or make_model()
    return both(values, node.op)


def _unary(machine: Machine, scope: Scope, node: ast.UnaryOp) -> Value:
    value = evaluate(machine, scope, node.operand)
    if isinstance(value, Const) and isinstance(node.op, ast.USub) and isinstance(value.value, (int, float)):
        return Const(-value.value)
    data = value if isinstance(value, Data) else combine([value])
    return opposite(data) if isinstance(node.op, ast.Not) else data


def _choice(machine: Machine, scope: Scope, node: ast.IfExp) -> Value:
    first, second = branches(node, evaluate(machine, scope, node.test))
    found = []
    for inside, part in ((first, node.body), (second, node.orelse)):
        if inside is not None:
            with machine.within(inside):
                found.append(evaluate(machine, scope, part))
    texts = {it.value for it in found if isinstance(it, Const) and isinstance(it.value, str)}
    if len(texts) == len(found) == 2 and texts & {"cuda", "mps", "xpu"}:
        device = Thing(own_kind="device", node=node)  # "cuda" if torch.cuda.is_available() else "cpu"
        device.own_facts["spec"] = next(iter(texts - {"cpu"}))
        machine.note("device", node, device)
        return device
    return join_all(found)


_HANDLERS: dict[type[ast.AST], Callable[..., Value]] = {
    ast.Compare: _compare,
    ast.BoolOp: _bool,
    ast.UnaryOp: _unary,
    ast.IfExp: _choice,
}
