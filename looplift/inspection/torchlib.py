"""Calls into torch: models, optimizers, schedulers, loaders, losses and tensors."""

from __future__ import annotations

import ast

from looplift.inspection import calls
from looplift.inspection.data import Data, Length
from looplift.inspection.datasets import distributed_sampler, make_loader, subset
from looplift.inspection.joining import combine, data_within
from looplift.inspection.machine import Machine
from looplift.inspection.tensors import REDUCING, along_a_row, device_of, reduced
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Const, Sequence, Value
from looplift.inspection.withs import context

_LOSSES = {
    "cross_entropy",
    "kl_div",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "huber_loss",
}
_CONTAINERS = ("Sequential", "ModuleList")
_NO_GRAD = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad", "torch.set_grad_enabled")


def call_torch(machine: Machine, path: str, args: Args, node: ast.AST) -> Value | None:
    """What a call of torch gives; None when nothing is known of it."""
    name = path.rpartition(".")[2]
    for test in (_of_grad, _of_data, _of_training, _of_modules, _of_devices):
        found = test(machine, path, name, args, node)
        if found is not None:
            return found
    return _of_tensors(machine, path, name, args, node)


def _of_grad(machine: Machine, path: str, name: str, args: Args, node: ast.AST) -> Value | None:
    if path in _NO_GRAD:
        return context("no_grad", node)
    if path == "torch.autograd.backward":
        data = combine(args.items)
        machine.note("backward", node, None, through=False, value=args.get(0), data=data)
        return Const(None)
    if name == "autocast":
        machine.note("by hand", node, None, what="autocast")
        return context("autocast", node)
    if name == "GradScaler":
        machine.note("by hand", node, None, what="scaler")
        return Thing(own_kind="scaler", node=node)
    if name in ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm"):
        machine.note("clip", node, None, through=False)
        return Data()
    return None


def _of_data(machine: Machine, path: str, name: str, args: Args, node: ast.AST) -> Value | None:
    if name in ("DataLoader", "StatefulDataLoader"):
        return make_loader(machine, args, node, path)
    if name == "DistributedSampler":
        return distributed_sampler(machine, args, node)
    if name == "Subset":
        return subset(machine, args, node)
    if name == "random_split":
        if "generator" not in args.named:
            machine.note("split", node, None)
        base = args.get(0, "dataset")
        whole = base if isinstance(base, Thing) else Thing(node=node)
        return Sequence([], rest=whole.part("random_split"))
    if path.startswith("torch.utils.data.") and name.endswith(("Dataset", "Sampler")):
        found = Thing(own_kind="sampler" if name.endswith("Sampler") else "dataset", node=node)
        found.own_facts["iterable"] = name == "IterableDataset"
        return found
    return None


def make_optimizer(machine: Machine, args: Args, node: ast.AST) -> Thing:
    """An optimizer, and the models whose parameters it holds."""
    found = Thing(own_kind="optimizer", node=node)
    found.own_facts["models"] = calls.parameters_within(args)
    machine.note("optimizer", node, found)
    return found


def make_scheduler(machine: Machine, path: str, args: Args, node: ast.AST) -> Thing:
    """A scheduler, its optimizer, and the length that it was made for."""
    found = Thing(own_kind="scheduler", node=node, path=path)
    optimizer = next(
        (it for it in args.every if isinstance(it, Thing) and it.kind in ("optimizer", "")), None
    )
    if optimizer is not None:
        optimizer.kind = optimizer.kind or "optimizer"
    found.own_facts["optimizer"] = optimizer
    found.own_facts["length"] = _length(args)
    machine.note("scheduler", node, found)
    return found


def _length(args: Args) -> Length | None:
    """The number of steps among the arguments of a scheduler, when one stands for certain; warm-ups are left out."""
    named = [
        args.named.get(it)
        for it in ("total_steps", "num_training_steps", "steps_per_epoch", "T_max", "total_iters")
    ]
    place = (
        args.items[-1] if args.items else None
    )  # get_linear_schedule_with_warmup(optimizer, warmup, total)
    given = [it for it in named if it is not None] or ([place] if place is not None else [])
    found = [it for value in given for it in data_within(value) if it.length]
    return found[0].length if len(found) == 1 and found[0].sure else None


def _of_training(machine: Machine, path: str, name: str, args: Args, node: ast.AST) -> Value | None:
    capital = name[:1].isupper()
    if ".lr_scheduler." in path and capital:
        return make_scheduler(machine, path, args, node)
    if path.startswith("torch.optim.") and capital:
        return make_optimizer(machine, args, node)
    if path == "torch.save":
        machine.note("save", node, None, how="torch.save", value=args.get(0), through=False)
        return Const(None)
    if path == "torch.compile" and args.items:
        return args.items[0]
    if path in ("torch.manual_seed", "torch.cuda.manual_seed_all", "torch.cuda.manual_seed"):
        seed = combine(args.items)
        machine.note("seed", node, None, each=seed.rank == "index" or seed.local)
        return Const(None)
    return None


def _of_modules(machine: Machine, path: str, name: str, args: Args, node: ast.AST) -> Value | None:
    if name in ("DistributedDataParallel", "FullyShardedDataParallel", "DataParallel"):
        machine.note(
            "by hand", node, args.get(0, "module"), what="ddp" if name != "DataParallel" else "parallel"
        )
        model = args.get(0, "module")
        if isinstance(model, Thing):
            model.kind = model.kind or "model"
            return model.wrapped("ddp", node)
        return Thing(own_kind="model", node=node)
    if name == "convert_sync_batchnorm" and args.items:
        return args.items[0]
    if path.startswith("torch.nn.functional."):
        if name.endswith("loss") or name in _LOSSES:
            return combine(args.every, "loss")
        return combine(args.every)
    if path.startswith("torch.nn.") and name[:1].isupper():
        if name.endswith("Loss"):
            return Thing(own_kind="loss", node=node)
        if name == "Parameter":
            return Thing(node=node)
        return _module(args, node, name)
    return None


def _module(args: Args, node: ast.AST, name: str) -> Thing:
    """A module; those that go into it, as into Sequential, are parts of it."""
    found = Thing(own_kind="model", node=node)
    inner = [*args.items, *(it.items if isinstance(it, Sequence) else [] for it in args.items[:1])]
    for it in inner:
        kinds = ("model", "") if name in _CONTAINERS else ("model",)  # what is put into these is a module
        if isinstance(it, Thing) and it.kind in kinds and it.root.part_of is None:
            it.root.part_of = found
    return found


def _of_devices(machine: Machine, path: str, name: str, args: Args, node: ast.AST) -> Value | None:
    if path == "torch.device":
        found = Thing(own_kind="device", node=node)
        spec = args.get(0, "type")
        if isinstance(spec, Thing) and spec.kind == "device":
            return spec
        found.own_facts["spec"] = (
            spec.value if isinstance(spec, Const) else "cuda" if spec is not None else ""
        )
        by_rank = [*data_within(args.get(0)), *data_within(args.get(1))]
        found.own_facts["mine"] = any(it.local or it.rank == "index" for it in by_rank)
        machine.note("device", node, found)
        return found
    if path == "torch.cuda.set_device":
        machine.note("by hand", node, None, what="set_device")
        return Const(None)
    if path.startswith(("torch.cuda.", "torch.backends.")):
        return Data(sure=False)
    return None


def _of_tensors(machine: Machine, path: str, name: str, args: Args, node: ast.AST) -> Value | None:
    device = args.named.get("device")
    known = device_of(device)
    data = combine([it for key, it in args.named.items() if key != "device"] + args.items)
    if known is not None and known[0] != "cpu":
        machine.note("move", node, Data(), to=known[0], mine=known[1], named=known[2])
    if name in REDUCING and name not in ("max", "min") and any(data_within(args.get(0))):
        return reduced(machine, data, node, along_a_row(args, 1))
    if name in ("nonzero", "masked_select", "unique", "where"):
        return data
    if name == "randperm" and "generator" not in args.named:
        return Data(drawn=node)
    if path.count(".") == 1 and name[:1].islower():
        return data
    return None
