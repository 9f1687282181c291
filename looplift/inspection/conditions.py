"""Conditions: which processes a branch is for, and whether the processes decide differently."""

from __future__ import annotations

import ast
from dataclasses import replace

from looplift.inspection.data import Data
from looplift.inspection.joining import combine
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Inside
from looplift.inspection.values import Const, Value

OPPOSITE = {"main": "other", "other": "main", "some": "some", "several": "one", "one": "several", "always": "never",
            "never": "always"}  # fmt: skip
OF_RANKS = ("main", "other", "some")


def opposite(value: Data) -> Data:
    """`not value`. `not rank` is true on the main process."""
    if value.rank == "index":
        return replace(value, form="number", rank="main")
    return replace(value, form="number", rank=OPPOSITE.get(value.rank, ""))


def compared(left: Value, operator: ast.cmpop, right: Value) -> Data:
    """`left < right` and its like. We read a script as it runs on several processes."""
    data = combine([left, right])
    for one, other, turned in ((left, right, False), (right, left, True)):
        rank = one.rank if isinstance(one, Data) else ""
        if rank not in ("index", "processes") or not isinstance(other, Const) or other.value is None:
            continue
        if rank == "index":
            return replace(data, form="number", local=True, rank=_of_index(operator, other.value, turned))
        return replace(data, form="number", rank=_of_processes(operator, other.value, turned))
    # A whole batch compared with something gives an entry for each row.
    form = data.form if data.form in ("rows", "batch") else "number"
    return replace(data, form=form, rank="", length=None)


def _of_index(operator: ast.cmpop, value: object, turned: bool) -> str:
    if (
        value == 0
        and isinstance(operator, ast.Eq)
        or value == 1
        and isinstance(operator, ast.Lt)
        and not turned
    ):
        return "main"
    if value == 0 and isinstance(operator, (ast.NotEq, ast.Gt, ast.Lt)):
        return "other"
    if value == -1 and isinstance(
        operator, (ast.Eq, ast.NotEq)
    ):  # `local_rank != -1`: whether there are several
        return "several" if isinstance(operator, ast.NotEq) else "one"
    return "some"


def _of_processes(operator: ast.cmpop, value: object, turned: bool) -> str:
    if value == 1:
        several = (ast.Lt, ast.NotEq) if turned else (ast.Gt, ast.NotEq)
        alone = (ast.Eq, ast.GtE) if turned else (ast.Eq, ast.LtE)
        return "several" if isinstance(operator, several) else "one" if isinstance(operator, alone) else ""
    if value == 2 and isinstance(operator, ast.GtE) and not turned:
        return "several"
    if value == 2 and isinstance(operator, ast.Lt) and not turned:
        return "one"
    return ""


def is_none(value: Value, operator: ast.cmpop) -> Data | None:
    """`value is None`, where the text tells: an Accelerator is none, and None is."""
    if isinstance(value, Const):
        none = value.value is None
    elif isinstance(value, Thing) and value.kind == "accelerator":
        none = False
    else:
        return None
    return Data(rank="always" if none == isinstance(operator, ast.Is) else "never")


def both(values: list[Value], operator: ast.boolop) -> Data:
    """`a and b`, `a or b`."""
    data = [it if isinstance(it, Data) else combine([it]) for it in values]
    ranks = [it.rank for it in data]
    found = combine(values, "number")
    if isinstance(operator, ast.And):
        rank = next((it for it in ranks if it in OF_RANKS), "")
        if rank and any(it.local and not it.rank for it in data):
            rank = "some"
        if not rank and "one" in ranks:
            rank = "one"
        rank = rank or ("sync" if "sync" in ranks else "several" if set(ranks) == {"several"} else "")
        return replace(found, rank=rank)
    rank = "several" if "several" in ranks and not found.local else ranks[0] if len(set(ranks)) == 1 else ""
    return replace(found, rank=rank)


def branches(node: ast.If | ast.IfExp, test: Value) -> tuple[Inside | None, Inside | None]:
    """What the two branches stand in; None for one that is not entered on several processes."""
    data = test if isinstance(test, Data) else combine([test])
    if isinstance(test, Thing) and test.kind == "accelerator":  # `if accelerator:`
        data = Data(rank="always")
    if data.rank == "index":  # `if rank:`
        data = replace(data, rank="other")
    if data.rank == "processes":  # `if world_size:`
        data = replace(data, rank="")
    if data.rank in OF_RANKS and data.sure:
        return (
            Inside("ranks", node, data.rank, local=True),
            Inside("ranks", node, OPPOSITE[data.rank], local=True),
        )
    if data.rank in ("several", "always"):
        return Inside(data.rank, node), None
    if data.rank in ("one", "never"):
        return None, Inside(OPPOSITE[data.rank], node)
    which = "sync" if data.rank == "sync" else "main" if data.rank else ""
    inside = Inside("if", node, which, local=data.local and data.sure, modulo=data.modulo)
    return inside, replace(inside, which="else" if which else "")
