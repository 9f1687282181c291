"""Sums, products and quotients: of losses, counts, lengths and numbers of processes."""

from __future__ import annotations

import ast
from dataclasses import replace

from looplift.inspection.data import Data, Length
from looplift.inspection.joining import combine
from looplift.inspection.machine import Machine
from looplift.inspection.values import Const, Sequence, Value

_DIVIDES = (ast.Div, ast.FloorDiv)


def calculated(machine: Machine, node: ast.BinOp, left: Value, right: Value) -> Value:
    """`left + right` and its like."""
    from looplift.inspection.logic import mixed

    known = _known(node.op, left, right)
    if known is not None:
        return known
    mixed(machine, node, [left, right])
    data = combine([left, right])
    if isinstance(node.op, ast.Mod):
        return replace(data, form="number", modulo=True, length=None, rank="")
    scaled = _scaled(node.op, left, right)
    form = data.form
    if (
        isinstance(node.op, _DIVIDES)
        and _form(left) == "count"
        and _form(right) in ("count", "number", "ratio")
    ):
        form = "ratio"
    rank = data.rank if data.rank in ("processes", "index") and not data.length else ""
    return replace(data, form=form, scaled=scaled, length=_length(node.op, left, right), rank=rank)


def _form(value: Value) -> str:
    return value.form if isinstance(value, Data) else "number"


def _known(operator: ast.operator, left: Value, right: Value) -> Value | None:
    """Lists that are put together or repeated, and numbers that stand in the text."""
    if isinstance(left, Sequence) and isinstance(right, Sequence) and isinstance(operator, ast.Add):
        return Sequence([*left.items, *right.items], left.rest or right.rest)
    if isinstance(left, Sequence) and isinstance(operator, ast.Mult):
        return Sequence(list(left.items), rest=left.items[0] if left.items else None)
    if isinstance(left, Sequence) and isinstance(operator, ast.Add):
        return Sequence([*left.items], rest=combine([right]) if right else left.rest)
    if isinstance(left, Const) and isinstance(right, Const):
        a, b = left.value, right.value
        numbers = all(isinstance(it, (int, float)) and not isinstance(it, bool) for it in (a, b))
        if numbers and isinstance(operator, (ast.Add, ast.Sub, ast.Mult)):
            return Const(
                a + b if isinstance(operator, ast.Add) else a - b if isinstance(operator, ast.Sub) else a * b
            )
    return None


def _scaled(operator: ast.operator, left: Value, right: Value) -> tuple[str, Value] | None:
    """The factor of a loss."""
    if _form(left) == "loss" and isinstance(operator, ast.Div):
        return "/", right
    if isinstance(operator, ast.Mult):
        if _form(left) == "loss" and _form(right) != "loss":
            return "*", right
        if _form(right) == "loss" and _form(left) != "loss":
            return "*", left
    return None


def _is_processes(value: Value) -> bool:
    return isinstance(value, Data) and value.rank == "processes"


def _length(operator: ast.operator, left: Value, right: Value) -> Length | None:
    """A number of steps, multiplied or divided by the number of processes or something else."""
    one = left.length if isinstance(left, Data) else None
    other = right.length if isinstance(right, Data) else None
    if one and other:
        return None
    if one and isinstance(operator, _DIVIDES):
        if _is_processes(right):
            return replace(one, processes=one.processes - 1)
        return replace(one, mixed=True) if not isinstance(right, Const) else one
    if isinstance(operator, ast.Mult):
        length, factor = (one, right) if one else (other, left)
        if length and _is_processes(factor):
            return replace(length, processes=length.processes + 1)
        return length
    if isinstance(operator, (ast.Add, ast.Sub)):
        found = one or other
        return replace(found, mixed=True) if found else None
    return one if one and isinstance(operator, ast.FloorDiv) else None
