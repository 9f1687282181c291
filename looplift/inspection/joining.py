"""Bring values together: after two branches, and in a computation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from looplift.inspection.data import Data
from looplift.inspection.thing import Thing
from looplift.inspection.values import Choice, Const, HalfBound, Mapping, Sequence, Stream, Value

DEPTH = 4  # how far collections are looked into
WIDEST = 4  # values that a name may stand for; with more of them nothing is known of it
# Which form a computation of several has: the first that occurs.
_FORMS = ("gradient", "loss", "rows", "batch", "ratio", "count", "number")


def join(one: Value, other: Value) -> Value:
    """What a name stands for after two branches."""
    if one is other:
        return one
    if isinstance(one, Const) and isinstance(other, Const) and one.value == other.value:
        return one
    if isinstance(one, Sequence) and isinstance(other, Sequence) and len(one.items) == len(other.items):
        if not one.rest and not other.rest:
            return Sequence([join(a, b) for a, b in zip(one.items, other.items, strict=True)])
    elif isinstance(one, Data) and isinstance(other, Data) and one.rank and one.rank == other.rank:
        return one
    elif (
        isinstance(one, Data)
        and isinstance(other, (Data, Const))
        or isinstance(one, Const)
        and isinstance(other, Data)
    ):
        return replace(combine([one, other]), sure=False)
    options = {id(it): it for value in (one, other) for it in options_of(value)}
    return Choice(tuple(options.values())) if len(options) <= WIDEST else Thing(given=True)


def join_all(values: Iterable[Value]) -> Value:
    """The join of one or more values."""
    first, *others = values
    for it in others:
        first = join(first, it)
    return first


def options_of(value: Value) -> tuple[Value, ...]:
    """The values that a value may be."""
    return value.options if isinstance(value, Choice) else (value,)


def data_within(value: Value | None, depth: int = DEPTH) -> Iterator[Data]:
    """All data in a value and in the collections that it holds."""
    if isinstance(value, Data):
        yield value
    elif value is None or not depth:
        return
    elif isinstance(value, HalfBound):
        yield from data_within(value.value, depth)
    elif isinstance(value, Choice):
        for it in value.options:
            yield from (replace(found, sure=False) for found in data_within(it, depth - 1))
    elif isinstance(value, Sequence):
        for item in (*value.items, value.rest):
            yield from data_within(item, depth - 1)
    elif isinstance(value, Mapping):
        for item in (*value.items.values(), value.rest):
            yield from data_within(item, depth - 1)
    elif isinstance(value, Stream):
        yield from data_within(value.element, depth - 1)


def things_within(value: Value | None, depth: int = DEPTH) -> Iterator[Thing]:
    """All objects in a value and in the collections that it holds."""
    if isinstance(value, Thing):
        yield value
        if depth:
            for it in list(value.attrs.values()):
                yield from things_within(it, depth - 1)
    elif value is None or not depth:
        return
    elif isinstance(value, Choice):
        for it in value.options:
            yield from things_within(it, depth - 1)
    elif isinstance(value, Sequence):
        for item in (*value.items, value.rest):
            yield from things_within(item, depth - 1)
    elif isinstance(value, Mapping):
        for item in (*value.items.values(), value.rest):
            yield from things_within(item, depth - 1)


def combine(values: Iterable[Value | None], form: str = "") -> Data:
    """What a computation from several values gives. form: of the result, or that of the values.

    Data that was gathered from all processes is the same on each of them, so it is not local any more.
    """
    parts = [it for value in values for it in data_within(value)]
    if not parts:
        return Data(form or "number")
    forms = {it.form for it in parts}
    models = {id(model): model for it in parts for model in it.models}
    lead = next((it for it in parts if it.loader), parts[0])
    lengths = [it.length for it in parts if it.length]
    length = lengths[0] if len(lengths) == 1 else None
    return Data(
        form=form or next(it for it in _FORMS if it in forms),
        local=any(it.local for it in parts),
        loader=lead.loader,
        loop=lead.loop,
        models=tuple(models.values()),
        forward=next((it.forward for it in parts if it.forward), None),
        from_model=any(it.from_model for it in parts),
        gathered=next((it.gathered for it in parts if it.gathered), None),
        padded=any(it.padded for it in parts),
        ragged=any(it.ragged for it in parts),
        scaled=parts[0].scaled if len(parts) == 1 else None,
        length=length,
        rank=parts[0].rank if len(parts) == 1 else "",
        modulo=any(it.modulo for it in parts),
        drawn=parts[0].drawn if len(parts) == 1 else None,
        sure=all(it.sure for it in parts),
    )
