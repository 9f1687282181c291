"""Loops: what is gone through, and what each item is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from looplift.inspection.data import Data, Parameters
from looplift.inspection.joining import data_within, join_all
from looplift.inspection.machine import Machine
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Inside
from looplift.inspection.values import (
    Args,
    Choice,
    Const,
    HalfBound,
    Mapped,
    Mapping,
    Sequence,
    Stream,
    Value,
)

UNROLLED = 8  # a loop over at most so many known items is gone through item by item


def loader_of(source: Value) -> Thing | None:
    """The loader that a loop draws from."""
    if isinstance(source, Thing):
        return source if source.kind in ("", "loader") else None
    if isinstance(source, Stream):
        return source.loader
    if isinstance(source, Mapped):
        return loader_of(source.source)
    if isinstance(source, Choice):
        found = [loader_of(it) for it in source.options]
        return found[0] if len(set(map(id, found))) == 1 else None
    return None


def is_shared(loader: Thing) -> bool:
    """Whether each process draws rows of its own. A loader from outside the text may."""
    return loader.wrap == "prepared" or bool(loader.facts.get("sharded")) or loader.root.given


@contextmanager
def go_through(machine: Machine, node: ast.AST, source: Value) -> Iterator[None]:
    """Stand in a loop over something."""
    loader = loader_of(source)
    if loader is not None:
        machine.touch(loader)
        machine.note("iterate", node, loader)
    times = "processes" if isinstance(source, Stream) and _counts_processes(source) else ""
    with machine.within(Inside("loop", node, which=times, of=loader)):
        yield


def _counts_processes(source: Stream) -> bool:
    return isinstance(source.element, Data) and source.element.rank == "index" and not source.element.local


def rounds(machine: Machine, node: ast.AST, source: Value) -> list[Value]:
    """What the loop's variable stands for: once for each known item, else once for all."""
    if isinstance(source, Sequence) and source.rest is None and 0 < len(source.items) <= UNROLLED:
        return list(source.items)
    if isinstance(source, Mapping) and source.rest is None and 0 < len(source.items) <= UNROLLED:
        return [Const(key) for key in source.items]
    return [element_of(machine, source, node)]


def element_of(machine: Machine, source: Value, node: ast.AST) -> Value:
    """An item of what is looped over."""
    if isinstance(source, HalfBound):
        return element_of(machine, source.value, node)
    if isinstance(source, Data):
        return replace(source, length=None)
    if isinstance(source, Parameters):
        return source
    if isinstance(source, Thing):
        if source.kind not in ("", "loader", "dataset"):
            return Thing(node=node, given=True)
        return Data("batch", local=is_shared(source), loader=source, loop=node)
    if isinstance(source, Stream):
        return _placed(source.element, node)
    if isinstance(source, Sequence):
        rest = source.rest
        further = [rest.part(0) if isinstance(rest, Thing) and not rest.kind else rest] if rest else []
        items = [*source.items, *further]
        return join_all(items) if items else Thing(node=node, given=True)
    if isinstance(source, Mapping):
        data = next(data_within(source), None)
        return data or Thing(node=node, given=True)
    if isinstance(source, Mapped):
        from looplift.inspection.expressions import call

        return call(machine, source.function, Args([element_of(machine, source.source, node)]), node)
    if isinstance(source, Choice):
        return join_all([element_of(machine, it, node) for it in source.options])
    return Thing(node=node, given=True)


def _placed(value: Value, node: ast.AST) -> Value:
    """The item of a stream, drawn by this loop."""
    if isinstance(value, Data) and value.loader is not None and value.form == "batch":
        return replace(value, loop=node)
    if isinstance(value, Sequence):
        return Sequence([_placed(it, node) for it in value.items], value.rest)
    return value
