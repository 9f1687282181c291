"""Lists, tuples and dicts that are written out, and the arguments of calls."""

from __future__ import annotations

import ast

from looplift.inspection.expressions import evaluate
from looplift.inspection.joining import join, things_within
from looplift.inspection.machine import Machine
from looplift.inspection.scope import Scope
from looplift.inspection.values import Args, Choice, Const, Mapping, Sequence, Value


def displayed(machine: Machine, scope: Scope, node: ast.expr) -> Value:
    """What `[a, *b]` or `{"a": b}` stands for."""
    if isinstance(node, ast.Dict):
        return _dict(machine, scope, node)
    assert isinstance(node, (ast.Tuple, ast.List, ast.Set))
    return _sequence(machine, scope, node)


def arguments_of(machine: Machine, scope: Scope, node: ast.Call) -> Args:
    """The arguments of a call, stars opened as far as they are known."""
    args = Args()
    for it in node.args:
        if isinstance(it, ast.Starred):
            _open_star(args, evaluate(machine, scope, it.value))
        elif args.rest is None:
            args.items.append(evaluate(machine, scope, it))
        else:
            # Behind a star of unknown length nobody can tell which argument it is: it is not followed any further.
            for thing in things_within(evaluate(machine, scope, it)):
                thing.facts["escaped"] = True
    for keyword in node.keywords:
        value = evaluate(machine, scope, keyword.value)
        if keyword.arg is not None:
            args.named[keyword.arg] = value
        elif isinstance(value, Mapping):
            args.named.update({it: found for it, found in value.items.items() if isinstance(it, str)})
            args.named.setdefault("**", value)
        else:
            args.named["**"] = value
    return args


def _open_star(args: Args, value: Value) -> None:
    if isinstance(value, Choice):
        value = value.options[0]
    if isinstance(value, Sequence):
        args.items += value.items
        args.rest = value.rest
    elif isinstance(value, Mapping):
        args.items += [Const(it) for it in value.items]
    else:
        args.rest = value


def _sequence(machine: Machine, scope: Scope, node: ast.Tuple | ast.List | ast.Set) -> Value:
    args = Args()
    for it in node.elts:
        if isinstance(it, ast.Starred):
            _open_star(args, evaluate(machine, scope, it.value))
        else:
            args.items.append(evaluate(machine, scope, it))
    return Sequence(args.items, args.rest)


def _dict(machine: Machine, scope: Scope, node: ast.Dict) -> Value:
    found = Mapping({})
    for key, item in zip(node.keys, node.values, strict=True):
        value = evaluate(machine, scope, item)
        name = evaluate(machine, scope, key) if key is not None else None
        if isinstance(name, Const):
            found.items[name.value] = value
        elif name is None and isinstance(value, Mapping):
            found.items.update(value.items)
        else:
            found.rest = value if found.rest is None else join(found.rest, value)
    return found
