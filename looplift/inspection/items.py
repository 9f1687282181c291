"""Items: `batch["image"]`, `loaders[0]`, `rows[:n]`."""

from __future__ import annotations

import ast
from dataclasses import replace

from looplift.inspection.data import Data
from looplift.inspection.joining import combine, data_within, join_all
from looplift.inspection.machine import Machine
from looplift.inspection.targets import item
from looplift.inspection.thing import Thing
from looplift.inspection.values import Choice, Const, HalfBound, Library, Mapping, Sequence, Stream, Value


def get_item(
    machine: Machine, base: Value, key: Value | None, node: ast.AST, bounds: list[Value | None] | None
) -> Value:
    """`base[key]`, or `base[lower:upper]` when there are bounds."""
    if isinstance(base, HalfBound):
        base = base.value
    if isinstance(base, Choice):
        return join_all([get_item(machine, it, key, node, bounds) for it in base.options])
    if isinstance(base, Data):
        if bounds is not None and base.drawn is not None:
            machine.note("split", base.drawn)  # shuffled, then cut: rows for training and for evaluation
        return _of_data(base, key, bounds)
    if isinstance(base, Sequence):
        if bounds is not None:
            return _sliced(base, bounds)
        if isinstance(key, Const) and isinstance(key.value, int):
            return item(base, key.value)
        return join_all(base.items) if base.items else base.rest or Thing(node=node, given=True)
    if isinstance(base, Mapping):
        found = base.items.get(key.value) if isinstance(key, Const) else None
        if found is not None:
            return found
        known = [*base.items.values(), *([base.rest] if base.rest else [])]
        return join_all(known) if known else Thing(node=node, given=True)
    if isinstance(base, Stream):
        return base.element
    if isinstance(base, Thing) and base.kind in ("", "loader", "dataset", "model"):
        if bounds is not None:
            return _part_of_dataset(base, bounds, node)
        name = f"[{key.value!r}]" if isinstance(key, Const) else "[]"
        if name in base.attrs:
            return base.attrs[name]
        if base.kind == "" and isinstance(key, Const) and isinstance(key.value, int):
            return base.part(key.value)
        return base.part(name)
    if isinstance(base, Library):
        if base.path == "os.environ" and isinstance(key, Const):
            return of_environment(str(key.value))
        return Library(f"{base.path}[]")
    return Thing(node=node, given=True)


def of_environment(name: str) -> Value:
    """A variable that a launcher sets tells which process this is, or how many there are."""
    if name in ("RANK", "LOCAL_RANK", "SLURM_PROCID", "SLURM_LOCALID"):
        return Data(local=True, rank="index")
    return Data(rank="processes") if name == "WORLD_SIZE" else Thing(given=True)


def _of_data(base: Data, key: Value | None, bounds: list[Value | None] | None) -> Value:
    if bounds is not None:
        # rows[:n] after a gather: the rows that fill up the last batch are cut off by hand.
        upper = bounds[1]
        cut = upper is not None and not (isinstance(upper, Const) and upper.value is None)
        return replace(base, padded=base.padded and not cut, scaled=None)
    if isinstance(key, Const):
        if isinstance(key.value, str) and base.form == "batch":
            named_loss = key.value == "loss" and bool(base.models)
            return replace(base, form="loss" if named_loss else "batch")
        if key.value == "loss":
            return replace(base, form="loss")
        return base
    if isinstance(key, Data) and key.form in ("rows", "batch") and key.local and not key.gathered:
        return replace(combine([base, key]), ragged=True)  # labels[predictions == 1]
    if isinstance(key, (Sequence, Stream)):
        # columns[:, 0], or [:, :n] which cuts
        return replace(combine([base, *data_within(key)], base.form), padded=False)
    return base if key is None else combine([base, key], base.form)


def _sliced(base: Sequence, bounds: list[Value | None]) -> Sequence:
    lower, upper = (it.value if isinstance(it, Const) else it for it in bounds)
    plain = all(it is None or isinstance(it, int) for it in (lower, upper))
    if not plain or base.rest is not None:
        if base.rest is not None and upper is None and isinstance(lower, int) and lower <= len(base.items):
            return Sequence(base.items[lower:], base.rest)
        return Sequence([], rest=join_all(base.items) if base.items else base.rest)
    first = lower if isinstance(lower, int) else None
    return Sequence(base.items[first : upper if isinstance(upper, int) else None])


def _part_of_dataset(base: Thing, bounds: list[Value | None], node: ast.AST) -> Thing:
    """Rows from here to there: a shard, when the bounds differ between processes."""
    found = Thing(own_kind=base.kind if base.kind == "dataset" else "", node=node, part_of=base)
    if any(it.local for bound in bounds for it in data_within(bound)):
        found.own_facts.update({"sharded": node, "sharded for sure": True})
    return found
