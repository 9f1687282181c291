"""Assignments: names, attributes, items, and the unpacking of several at once."""

from __future__ import annotations

import ast

from looplift.inspection.attributes import set_attribute
from looplift.inspection.data import Data
from looplift.inspection.expressions import call, evaluate
from looplift.inspection.joining import combine, join, join_all
from looplift.inspection.looping import element_of, go_through
from looplift.inspection.machine import Machine
from looplift.inspection.scope import Scope
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Choice, Const, Mapped, Mapping, Sequence, Stream, Value


def assign(machine: Machine, scope: Scope, target: ast.expr, value: Value, source: ast.expr | None) -> None:
    """Let a target stand for a value. source: the expression on the right, when there is one."""
    if isinstance(target, ast.Name):
        _named(machine, target, target.id, value)
        scope.bind(target.id, value)
    elif isinstance(target, ast.Attribute):
        _named(machine, target, target.attr, value)
        set_attribute(machine, evaluate(machine, scope, target.value), target.attr, value, target)
    elif isinstance(target, ast.Subscript):
        _set_item(machine, scope, target, value)
    elif isinstance(target, ast.Starred):
        assign(machine, scope, target.value, value, source)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(machine, scope, target, value)


def _named(machine: Machine, target: ast.expr, name: str, value: Value) -> None:
    """An object gets its name, and the line on which each function of the script first calls it so."""
    if isinstance(value, Thing):
        by_hand = value.wrap == "ddp"  # a model that is wrapped by hand is called by the wrapper's name
        if by_hand:
            value.name = name
        value.root.name = value.root.name or name
        lines = value.facts.setdefault("wrapped on" if by_hand else "named on", {})
        lines.setdefault(machine.root, target)


def _unpack(machine: Machine, scope: Scope, target: ast.Tuple | ast.List, value: Value) -> None:
    if isinstance(value, Sequence) and value.origin is not None:
        value.origin.facts.setdefault("targets", []).append(target)
    if isinstance(value, Thing) and value.wrap == "prepared" and value.kind:
        machine.note("unpacked alone", target, value)
    parts = _parts(machine, value, target)
    for it, part in zip(target.elts, parts, strict=True):
        assign(machine, scope, it, part, None)


def _parts(machine: Machine, value: Value, target: ast.Tuple | ast.List) -> list[Value]:
    """A value for each name on the left."""
    count = len(target.elts)
    star = next((i for i, it in enumerate(target.elts) if isinstance(it, ast.Starred)), None)
    if isinstance(value, Choice):
        each = [_parts(machine, it, target) for it in value.options]
        return [join_all(it) for it in zip(*each, strict=True)]
    if isinstance(value, Sequence):
        return _split(value, count, star)
    if isinstance(value, Mapped):
        return _of_mapped(machine, value, target, count)
    if isinstance(value, Stream):
        return [value.element] * count
    if isinstance(value, Thing) and value.kind in ("", "loader"):
        parts = [value.part(i) for i in range(count)]
        if star is not None:
            parts[star] = Sequence([], rest=value)
        return parts
    if isinstance(value, Data):
        return [value] * count
    return [combine([value]) if not isinstance(value, Const) else Thing(given=True) for _ in range(count)]


def _of_mapped(machine: Machine, value: Mapped, target: ast.expr, count: int) -> list[Value]:
    """map() unpacked: over the parts of something unknown, or over a loader, batch by batch."""
    source = value.source
    if isinstance(source, Thing) and source.kind == "" and not source.wrap:
        return [call(machine, value.function, Args([source.part(i)]), target) for i in range(count)]
    with go_through(machine, target, source):
        found = call(machine, value.function, Args([element_of(machine, source, target)]), target)
    return [found] * count


def item(value: Sequence, index: int) -> Value:
    """An item of a list by its place."""
    if 0 <= index < len(value.items):
        return value.items[index]
    if value.rest is not None:
        return value.rest.part(index - len(value.items)) if isinstance(value.rest, Thing) else value.rest
    if index < 0 and value.rest is None and -index <= len(value.items):
        return value.items[index]
    return join_all(value.items) if value.items else Thing(given=True)


def _split(value: Sequence, count: int, star: int | None) -> list[Value]:
    if star is None:
        return [item(value, index) for index in range(count)]
    after = count - star - 1
    known = value.items
    if value.rest is None:
        end = max(len(known) - after, star)
        middle: list[Value] = [Sequence(list(known[star:end]))]
        return [
            *(item(value, i) for i in range(star)),
            *middle,
            *(known[end + i] if end + i < len(known) else Thing(given=True) for i in range(after)),
        ]
    head = [item(value, i) for i in range(star)]
    middle = [Sequence(list(known[star:]), rest=value.rest)]
    return [*head, *middle, *(Thing(given=True) for _ in range(after))]


def _set_item(machine: Machine, scope: Scope, target: ast.Subscript, value: Value) -> None:
    base = evaluate(machine, scope, target.value)
    key = evaluate(machine, scope, target.slice)
    if isinstance(base, Mapping):
        if isinstance(key, Const):
            base.items[key.value] = value
        else:
            base.rest = value if base.rest is None else join(base.rest, value)
    elif isinstance(base, Sequence):
        if isinstance(key, Const) and isinstance(key.value, int) and 0 <= key.value < len(base.items):
            base.items[key.value] = value
        else:
            base.rest = value
    elif isinstance(base, Data) and isinstance(target.value, ast.Name):
        # counts[prediction, label] += 1: the table depends on the rows that were counted.
        inside = combine([base, key, value], "count" if base.form != "batch" else "batch")
        scope.bind(target.value.id, inside)
    elif isinstance(base, Thing):
        key_value = key.value if isinstance(key, Const) else None
        base.attrs[f"[{key_value!r}]"] = value
