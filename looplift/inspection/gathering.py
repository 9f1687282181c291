"""What the processes bring together."""

from __future__ import annotations

import ast
from dataclasses import replace

from looplift.inspection.data import Data
from looplift.inspection.joining import combine, data_within
from looplift.inspection.machine import Machine
from looplift.inspection.thing import Thing
from looplift.inspection.values import Mapping, Sequence, Value


def gather(machine: Machine, name: str, value: Value | None, node: ast.AST, thing: Thing | None) -> Value:
    """The processes' parts brought together, in a value of the same make."""
    machine.note("collective", node, thing, name=name, value=value)
    return _gathered(name, value, node)


def _gathered(name: str, value: Value | None, node: ast.AST) -> Value:
    if isinstance(value, Sequence):
        rest = _gathered(name, value.rest, node) if value.rest else None
        return Sequence([_gathered(name, it, node) for it in value.items], rest)
    if isinstance(value, Mapping):
        items = {key: _gathered(name, it, node) for key, it in value.items.items()}
        return Mapping(items, _gathered(name, value.rest, node) if value.rest else None)
    found = next(data_within(value), None)
    if found is None:
        return Thing(node=node, given=True) if isinstance(value, Thing) else Data(gathered=node)
    data = combine([value])
    if name == "pad_across_processes":
        return replace(data, ragged=False)
    keeps = data.models if name == "reduce" else ()
    return replace(
        data,
        local=False,
        gathered=node,
        padded=name == "gather" and data.form in ("rows", "batch"),
        models=keeps,
        scaled=None,
    )
