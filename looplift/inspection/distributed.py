"""torch.distributed and its launchers, used by hand."""

from __future__ import annotations

import ast

from looplift.inspection import calls
from looplift.inspection.data import Data
from looplift.inspection.gathering import gather
from looplift.inspection.joining import combine, data_within
from looplift.inspection.machine import Machine
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Const, Sequence, Value

_SETUP = {"init_process_group", "destroy_process_group", "new_group"}
_COLLECTIVES = {
    "all_reduce", "all_gather", "all_gather_object", "all_gather_into_tensor", "broadcast", "broadcast_object_list",
    "reduce", "gather", "gather_object", "scatter", "barrier", "reduce_scatter",
}  # fmt: skip
_FILLS = {
    "all_gather",
    "all_gather_object",
    "gather_object",
    "broadcast_object_list",
    "all_reduce",
    "broadcast",
    "reduce",
}


def call_distributed(machine: Machine, path: str, args: Args, node: ast.AST) -> Value:
    """What a call of torch.distributed or torch.multiprocessing gives."""
    name = path.rpartition(".")[2]
    if name in ("get_rank",):
        machine.note("by hand", node, None, what="rank")
        return Data(local=True, rank="index")
    if name == "get_world_size":
        machine.note("by hand", node, None, what="rank")
        return Data(rank="processes")
    if name in ("is_initialized", "is_available"):
        return Data(rank="several")
    if name in _SETUP:
        machine.note("by hand", node, None, what=name)
        return Const(None)
    if name in ("spawn", "start_processes"):
        return _spawn(machine, name, args, node)
    if name in _COLLECTIVES:
        machine.note("by hand", node, None, what="collective", name=name)
        filled = args.get(0)
        if name in _FILLS and isinstance(node, ast.Call):
            _fill(machine, node, filled, args)
        return gather(
            machine, f"dist.{name}", args.get(0) if name != "all_gather" else args.get(1), node, None
        )
    if name == "FullyShardedDataParallel":
        machine.note("by hand", node, args.get(0), what="ddp")
    return calls.unknown(machine, args, node, path)


def _fill(machine: Machine, node: ast.Call, value: Value | None, args: Args) -> None:
    """The first argument is filled in place: it is the same on every process afterwards."""
    found = combine([value, args.get(1)])
    settled = Data(
        found.form, loader=found.loader, gathered=node, from_model=found.from_model, models=found.models
    )
    if isinstance(value, Sequence):
        value.items = [settled]
        value.rest = settled
    elif node.args and isinstance(node.args[0], ast.Name) and any(data_within(value)):
        machine.scope.bind(node.args[0].id, settled)


def _spawn(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    function = args.get(0, "fn")
    machine.note("by hand", node, None, what="spawn", function=function, named=args.named)
    inner = args.get(1, "args")
    items = list(inner.items) if isinstance(inner, Sequence) else []
    if function is not None:
        calls.called(machine, function, Args([Data(local=True, rank="index"), *items]), node)
    return Thing(node=node, given=True)
