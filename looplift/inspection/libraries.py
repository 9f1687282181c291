"""Calls into libraries: which of them make a model, a loader, a loss, and what the rest gives."""

from __future__ import annotations

import ast
from collections.abc import Callable

from looplift.inspection import calls
from looplift.inspection.accelerators import make, prepared
from looplift.inspection.builtin import BUILTINS
from looplift.inspection.data import Data
from looplift.inspection.distributed import call_distributed
from looplift.inspection.gathering import gather
from looplift.inspection.items import of_environment
from looplift.inspection.joining import combine, data_within
from looplift.inspection.machine import Machine
from looplift.inspection.plainlib import PLAIN, call_numeric
from looplift.inspection.thing import Thing
from looplift.inspection.torchlib import call_torch
from looplift.inspection.values import Args, Const, Library, Partial, Sequence, Value
from looplift.inspection.withs import context

Handler = Callable[[Machine, str, Args, ast.AST], Value]


def call_library(machine: Machine, library: Library, args: Args, node: ast.AST) -> Value:
    """What a call of something imported gives."""
    path, name, package = library.path, library.name, library.package
    if package == "builtins":
        handler = BUILTINS.get(name)
        return handler(machine, args, node) if handler else calls.unknown(machine, args, node)
    if path.startswith(("torch.distributed", "torch.multiprocessing")):
        return call_distributed(machine, path, args, node)
    if name == "SummaryWriter":
        machine.note("writer", node, None)
    if package == "torch" or path.startswith("torchdata"):
        found = call_torch(machine, path, args, node)
        if found is not None:
            return found
    if package == "accelerate":
        known = _ACCELERATE.get(name)
        if known is not None:
            return known(machine, name, args, node)
    if package in (
        "transformers",
        "diffusers",
        "timm",
        "torchvision",
        "peft",
        "sentence_transformers",
        "trl",
    ):
        found = _of_models(machine, path, args, node)
        if found is not None:
            return found
    if path in PLAIN:
        return PLAIN[path](machine, args, node)
    if package in ("numpy", "math", "sklearn", "scipy", "torchmetrics"):
        numeric = call_numeric(machine, path, args, node)
        if numeric is not None:
            return numeric
    if package == "tqdm" or name in ("tqdm", "trange"):
        return _tqdm(machine, name, args, node)
    if name == "partial" and args.items:
        return Partial(args.items[0], Args(args.items[1:], args.rest, dict(args.named)))
    if path in ("os.environ.get", "os.getenv") and isinstance(args.get(0), Const):
        return of_environment(str(args.items[0].value))  # type: ignore[attr-defined]
    if name == "SimpleNamespace":
        found = Thing(node=node)
        found.attrs.update({key: it for key, it in args.named.items() if not key.startswith("*")})
        return found
    if name.endswith(("Trainer", "LightningModule")):
        machine.note("trainer", node, None, name=name)
        return Thing(own_kind="trainer", node=node)
    return calls.unknown(machine, args, node, path)


# ---- accelerate ----


def _accelerator(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    return make(machine, Thing(own_kind="accelerator", node=node), args, node)


def _state(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    return Thing(own_kind="accelerator", node=node)


def _launch(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    function, given = args.get(0, "function"), args.get(1, "args")
    machine.note(
        "launch", node, None, function=function, args=given, named=args.named, count=len(args.items),
        dropped=machine.dropped is node, name=name,
    )  # fmt: skip
    if function is not None:
        inner = given.items if isinstance(given, Sequence) else []
        outer = machine.root
        machine.root = None
        try:
            calls.called(machine, function, Args(list(inner)), node)
        finally:
            machine.root = outer
    return Thing(node=node, name="what a launcher returns")


def _seed(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    own = args.named.get("device_specific") or args.get(1)
    machine.note("seed", node, None, each=isinstance(own, Const) and own.value is True)
    return Const(None)


def _gather(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    first = args.get(0)
    if name == "broadcast_object_list" and isinstance(node, ast.Call):
        _settle(machine, node, first)
    return gather(machine, name, first, node, None)


def _settle(machine: Machine, node: ast.Call, value: Value | None) -> None:
    """A list that is filled in place is the same on every process afterwards."""
    if node.args and isinstance(node.args[0], ast.Name) and any(data_within(value)):
        found = combine([value])
        settled = Data(found.form, loader=found.loader, gathered=node)
        machine.scope.bind(node.args[0].id, settled)


def _loader(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    """accelerate.data_loader.prepare_data_loader, called directly."""
    first = args.get(0, "dataloader")
    found = prepared(machine, first, node, None) if first is not None else Thing(node=node, given=True)
    even = args.named.get("even_batches")
    if isinstance(found, Thing) and isinstance(even, Const) and even.value is False:
        found.facts["even_batches"] = False
    return found


def _settings(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    thing = Thing(node=node, path=f"accelerate.{name}")
    thing.own_facts["args"] = args
    return thing


def _first(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    return args.get(0) or Thing(node=node, given=True)


_ACCELERATE: dict[str, Handler] = {
    "Accelerator": _accelerator,
    "PartialState": _state,
    "AcceleratorState": _state,
    "GradientState": _state,
    "notebook_launcher": _launch,
    "debug_launcher": _launch,
    "set_seed": _seed,
    "gather": _gather,
    "gather_object": _gather,
    "reduce": _gather,
    "pad_across_processes": _gather,
    "broadcast": _gather,
    "broadcast_object_list": _gather,
    "prepare_data_loader": _loader,
    "skip_first_batches": _first,
    "tqdm": lambda m, n, args, node: args.get(0, "iterable") or Thing(node=node, name="bar"),
    "extract_model_from_parallel": lambda m, n, a, node: _unwrapped(a, node),
    "DataLoaderConfiguration": _settings,
    "GradientAccumulationPlugin": _settings,
    "DistributedDataParallelKwargs": _settings,
    "init_empty_weights": lambda m, n, a, node: context("meta", node),
}


def _unwrapped(args: Args, node: ast.AST) -> Value:
    model = args.get(0)
    return (
        model.wrapped("around", node)
        if isinstance(model, Thing) and model.wrap
        else model or Thing(given=True)
    )


# ---- models from other libraries ----

_NOT_MODELS = (
    "Tokenizer",
    "Processor",
    "Config",
    "Extractor",
    "Scheduler",
    "Pipeline",
    "Dataset",
    "Arguments",
)


def _of_models(machine: Machine, path: str, args: Args, node: ast.AST) -> Value | None:
    """transformers, diffusers, timm, torchvision, peft."""
    name, owner = path.rpartition(".")[2], path.rpartition(".")[0].rpartition(".")[2]
    if name == "set_seed":
        return _seed(machine, name, args, node)
    if name.startswith("get_") and "schedule" in name or name == "get_scheduler":
        from looplift.inspection.torchlib import make_scheduler

        return make_scheduler(machine, path, args, node)
    if name in ("AdamW", "Adafactor"):
        from looplift.inspection.torchlib import make_optimizer

        return make_optimizer(machine, args, node)
    if name == "Trainer" or name.endswith("Trainer"):
        machine.note("trainer", node, None, name=name)
        return Thing(own_kind="trainer", node=node)
    if name in ("get_peft_model", "prepare_model_for_kbit_training") and isinstance(args.get(0), Thing):
        return args.items[0]
    if name in ("from_pretrained", "from_config"):
        is_model = not owner.endswith(_NOT_MODELS) and not owner.startswith(("DDPM", "DDIM"))
        return Thing(own_kind="model" if is_model else "", node=node)
    if name == "create_model" or ".models." in path or name in ("get_model",):
        return Thing(own_kind="model", node=node)
    if owner in ("transformers", "diffusers") and ("For" in name or name.endswith("Model")):
        return Thing(own_kind="model", node=node)
    return None


def _tqdm(machine: Machine, name: str, args: Args, node: ast.AST) -> Value:
    from looplift.inspection.builtin import BUILTINS

    disable = args.named.get("disable")
    inner = args.get(0, "iterable")
    if name == "write":
        machine.note("print", node, None, how="every", value=None)
        return Const(None)
    if disable is None:
        machine.note("print", node, None, how="bar", value=None)
    if name == "trange":
        return BUILTINS["range"](machine, Args(args.items), node)
    return inner if inner is not None else Thing(node=node, name="bar")
