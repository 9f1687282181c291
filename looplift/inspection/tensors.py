"""Methods of tensors and numbers, and moves to a device."""

from __future__ import annotations

import ast
from dataclasses import replace

from looplift.inspection.data import Data, Parameters
from looplift.inspection.joining import combine
from looplift.inspection.machine import Machine
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Choice, Const, Value

# Methods that make one number of many rows.
REDUCING = {
    "sum",
    "mean",
    "item",
    "count_nonzero",
    "numel",
    "all",
    "any",
    "norm",
    "std",
    "var",
    "size",
    "max",
    "min",
}
_RAGGED = {"nonzero", "masked_select", "unique"}


def call_data(machine: Machine, data: Data, name: str, args: Args, node: ast.AST) -> Value:
    """What a method of a tensor gives."""
    if name == "backward":
        machine.note("backward", node, None, through=False, value=data, data=data)
        return Const(None)
    if name in ("to", "cuda", "xpu", "cpu"):
        moved(machine, data, name, args, node)
        return data
    if name in ("detach", "numpy", "tolist", "detach_"):
        return replace(data, models=())
    if name in REDUCING:
        return reduced(machine, data, node, along_a_row(args))
    if name in _RAGGED:
        return replace(data, ragged=data.local and not data.gathered)
    if name in ("items", "values", "keys", "pop", "get", "copy"):
        return data
    rest = [it for it in args.every if isinstance(it, Data)]
    return replace(combine([data, *rest], data.form), scaled=None) if rest else replace(data, scaled=None)


def along_a_row(args: Args, first: int = 0) -> bool:
    """Whether `sum(dim=-1)` and its like go along each row, so that there is still one number for each.

    first: the place of `dim`. `size(0)` and `sum(dim=0)` count the rows themselves.
    """
    along = args.get(first, "dim") or args.named.get("axis")
    return along is not None and not (isinstance(along, Const) and along.value in (0, None))


def reduced(machine: Machine, data: Data, node: ast.AST, keeps_rows: bool = False) -> Data:
    """One number of many rows: a count, unless it was one number before."""
    if data.form not in ("rows", "batch") or keeps_rows:
        return replace(data, length=data.length)
    if data.padded:
        machine.note("counted", node, None, data=data)
    return replace(data, form="count", scaled=None, ragged=False)


def moved(machine: Machine, what: Value, name: str, args: Args, node: ast.AST) -> None:
    """`x.to(device)`, `x.cuda()`: note where something is brought by hand."""
    if name == "cpu":
        return
    device = args.get(0, "device")
    if isinstance(what, Parameters):
        return
    if name in ("cuda", "xpu"):
        by_rank = _by_rank(device)
        machine.note("move", node, what, to="cuda", mine=by_rank, named=True)
        return
    known = device_of(device)
    if known is not None:
        to, mine, named = known
        machine.note("move", node, what, to=to, mine=mine, named=named)


def _by_rank(value: Value | None) -> bool:
    return isinstance(value, Data) and value.rank == "index"


def device_of(value: Value | None) -> tuple[str, bool, bool] | None:
    """(its name, whether the Accelerator or the rank chose it, whether a text names it); None when it is no device."""
    if isinstance(value, Choice):
        known = [it for it in map(device_of, value.options) if it is not None]
        return min(known, key=lambda it: not it[1]) if known else None
    if isinstance(value, Thing) and value.kind == "device":
        spec = str(value.facts.get("spec", ""))
        mine = bool(value.facts.get("mine")) or value.root.given
        return spec or "a device", mine, False
    if isinstance(value, Const) and isinstance(value.value, str):
        word = value.value.split(":")[0]
        return (value.value, False, True) if word in ("cuda", "cpu", "mps", "xpu") else None
    if _by_rank(value):
        return "this rank's GPU", True, False
    return None
