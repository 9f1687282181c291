"""`if`: two branches, and what holds after them."""

from __future__ import annotations

import ast

from looplift.inspection.conditions import branches
from looplift.inspection.expressions import evaluate
from looplift.inspection.joining import join
from looplift.inspection.machine import Machine
from looplift.inspection.scope import Scope
from looplift.inspection.trace import Inside
from looplift.inspection.values import HalfBound, Value


def run_if(machine: Machine, scope: Scope, node: ast.If) -> tuple[str, Inside | None]:
    """How the `if` ends, and what the rest of the block stands in when one branch has left."""
    first, second = branches(node, evaluate(machine, scope, node.test))
    before = dict(scope.names)
    ends, names = _branch(machine, scope, node.body, first)
    scope.names = dict(before)
    other_ends, other_names = _branch(machine, scope, node.orelse, second)
    if first is None or second is None:
        scope.names = names if second is None else other_names
        rest = (
            second if first is None and _leaves(node.body) else None
        )  # `if not dist.is_initialized(): return`
        return (ends if second is None else other_ends), rest
    if ends and other_ends:
        return ends, None
    if ends or other_ends:
        scope.names = other_names if ends else names
        rest = second if ends else first
        return "", rest if rest.kind == "ranks" else None
    scope.names = _joined(names, other_names, first)
    return "", None


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _branch(
    machine: Machine, scope: Scope, body: list[ast.stmt], inside: Inside | None
) -> tuple[str, dict[str, Value]]:
    if inside is None:
        return "", scope.names
    from looplift.inspection.statements import run_block

    with machine.within(inside):
        ends = run_block(machine, scope, body)
    return ends, scope.names


def _joined(one: dict[str, Value], other: dict[str, Value], inside: Inside) -> dict[str, Value]:
    """Names after both branches. A name that only one branch of some processes knows is half bound."""
    found: dict[str, Value] = {}
    for name in {**one, **other}:
        a, b = one.get(name), other.get(name)
        if a is not None and b is not None:
            found[name] = join(a, b)
            continue
        value = a or b
        assert value is not None
        if inside.kind == "ranks" and not isinstance(value, HalfBound):
            value = HalfBound(value, inside.which if a is not None else "other")
        found[name] = value
    return found
