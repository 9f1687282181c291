"""Comprehensions: small loops that make a list, a dict or a stream."""

from __future__ import annotations

import ast

from looplift.inspection.data import Data
from looplift.inspection.expressions import evaluate
from looplift.inspection.joining import combine, join_all
from looplift.inspection.looping import go_through, loader_of, rounds
from looplift.inspection.machine import Machine
from looplift.inspection.scope import Scope
from looplift.inspection.targets import assign
from looplift.inspection.thing import Thing
from looplift.inspection.values import Const, Mapping, Sequence, Stream, Value


def comprehended(machine: Machine, scope: Scope, node: ast.expr) -> Value:
    """What a comprehension gives."""
    assert isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp))
    inner = Scope(scope)
    found: list[tuple[Value, Value]] = []
    known = _round(machine, inner, node, node.generators, found)
    values = [value for _, value in found]
    if not values:
        return Sequence([])
    if isinstance(node, ast.DictComp):
        if any(isinstance(it, Data) for it in values):
            return combine([*values, *(key for key, _ in found)])
        if known and all(isinstance(key, Const) for key, _ in found):
            return Mapping({key.value: value for key, value in found if isinstance(key, Const)})
        return Mapping({}, join_all(values))
    if known:
        return Sequence(values)
    one = join_all(values)
    if isinstance(one, Data):
        return one
    source = evaluate(machine, inner, node.generators[0].iter)
    if isinstance(one, (Thing, Sequence)) and loader_of(source) is None:
        return Sequence([], rest=one)
    return Stream(one, loader_of(source))


def _round(
    machine: Machine,
    scope: Scope,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    generators: list[ast.comprehension],
    found: list[tuple[Value, Value]],
) -> bool:
    """Go through the loops of a comprehension. True when every item is known one by one."""
    if not generators:
        if isinstance(node, ast.DictComp):
            found.append((evaluate(machine, scope, node.key), evaluate(machine, scope, node.value)))
        else:
            found.append((Const(None), evaluate(machine, scope, node.elt)))
        return True
    first, *others = generators
    source = evaluate(machine, scope, first.iter)
    known = isinstance(source, (Sequence, Mapping)) and source.rest is None
    for element in rounds(machine, first.iter, source):
        with go_through(machine, first.iter, source):
            assign(machine, scope, first.target, element, None)
            for test in first.ifs:
                evaluate(machine, scope, test)
            known = _round(machine, scope, node, others, found) and known
    return known and not first.ifs
