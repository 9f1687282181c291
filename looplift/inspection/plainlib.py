"""Calls into libraries that compute: numpy, math, scikit-learn, random, itertools, copy, os."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from looplift.inspection.data import Data
from looplift.inspection.joining import combine, data_within
from looplift.inspection.looping import element_of, loader_of
from looplift.inspection.machine import Machine
from looplift.inspection.tensors import REDUCING, along_a_row, reduced
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Const, Never, Sequence, Stream, Value


def call_numeric(machine: Machine, path: str, args: Args, node: ast.AST) -> Value | None:
    """numpy, math, scikit-learn."""
    name = path.rpartition(".")[2]
    if path in ("numpy.random.seed",):
        return _seed(machine, args, node)
    if path == "numpy.random.permutation":
        return Data(drawn=node)
    if name == "train_test_split":
        if "random_state" not in args.named:
            machine.note("split", node, None)
        inner = args.get(0)
        return Sequence([], rest=Thing(node=node, given=not isinstance(inner, Thing)))
    if path.startswith(("sklearn.metrics.", "scipy.stats.")):
        padded = next((it for value in args.every for it in data_within(value) if it.padded), None)
        if padded is not None:
            machine.note("counted", node, None, data=padded)
        data = combine(args.every)
        return replace(data, form="ratio") if data.form in ("rows", "batch", "count") else data
    if path.startswith("torchmetrics"):
        return None
    if name in REDUCING and any(data_within(args.get(0))):
        return reduced(machine, combine(args.items), node, along_a_row(args, 1))
    data = combine(args.every)
    if path in ("math.ceil", "math.floor", "numpy.ceil", "numpy.floor") or data.length:
        return data
    return data


def _seed(machine: Machine, args: Args, node: ast.AST) -> Value:
    seed = combine(args.items)
    machine.note("seed", node, None, each=seed.rank == "index" or seed.local)
    return Const(None)


def _copy(machine: Machine, args: Args, node: ast.AST) -> Value:
    of = args.get(0)
    if isinstance(of, Thing):
        found = Thing(own_kind=of.kind, node=node, given=True, cls=of.cls)
        found.attrs.update(of.attrs)
        return found
    return of or Thing(node=node, given=True)


def _leave(how: str) -> Callable[[Machine, Args, ast.AST], Value]:
    def leave(machine: Machine, args: Args, node: ast.AST) -> Value:
        machine.note("leave", node, None, how=how)
        return Never()

    return leave


def _through(machine: Machine, args: Args, node: ast.AST) -> Value:
    """islice, cycle, chain: the items of what goes in."""
    source = args.get(0) or Const(None)
    if isinstance(source, (Thing, Stream, Sequence)):
        return Stream(element_of(machine, source, node), loader_of(source))
    return source


def _written(machine: Machine, args: Args, node: ast.AST) -> Value:
    machine.note("print", node, None, how="every", value=Sequence(args.every))
    return Const(None)


PLAIN: dict[str, Callable[[Machine, Args, ast.AST], Value]] = {
    "random.seed": _seed,
    "copy.deepcopy": _copy,
    "copy.copy": _copy,
    "os._exit": _leave("_exit"),
    "os.abort": _leave("abort"),
    "sys.exit": _leave("exit"),
    "sys.stdout.write": _written,
    "itertools.islice": _through,
    "itertools.cycle": _through,
    "itertools.chain": _through,
}
