"""Attributes: read and set."""

from __future__ import annotations

import ast
from dataclasses import replace

from looplift.inspection.accelerators import ONLY_ACCELERATORS, accelerator_attribute
from looplift.inspection.data import Data, Parameters
from looplift.inspection.joining import combine, join, join_all
from looplift.inspection.machine import Machine
from looplift.inspection.thing import Thing
from looplift.inspection.values import (
    Args,
    Choice,
    Class,
    Const,
    Function,
    HalfBound,
    Library,
    Mapping,
    Method,
    Value,
)

# What torch.nn.Module gives every model, so that it is there on a wrapper too.
OF_MODULES = {
    "add_module", "apply", "bfloat16", "buffers", "children", "compile", "cpu", "cuda", "device", "double", "eval",
    "extra_repr", "float", "forward", "get_buffer", "get_parameter", "get_submodule", "half", "load_state_dict",
    "module", "modules", "named_buffers", "named_children", "named_modules", "named_parameters", "no_sync",
    "parameters", "register_backward_hook", "register_buffer", "register_comm_hook", "register_forward_hook",
    "register_forward_pre_hook", "register_full_backward_hook", "register_load_state_dict_post_hook",
    "register_parameter", "requires_grad_", "state_dict", "to", "to_empty", "train", "training", "type", "xpu",
    "zero_grad", "require_backward_grad_sync", "find_unused_parameters", "join", "logger", "_get_name",
    "bucket_bytes_cap", "dim", "broadcast_buffers", "gradient_as_bucket_view", "static_graph", "process_group",
    "device_ids", "output_device", "reducer", "parameters_to_ignore", "mixed_precision", "device_type",
    "is_multi_device_module",
}  # fmt: skip
# Methods of a model that a part which is asked for them must be a model too.
_MODEL_METHODS = OF_MODULES - {"module", "training", "device", "type", "logger"}
_OPTIMIZER = {"step", "zero_grad", "state_dict", "load_state_dict", "add_param_group", "train", "eval"}


def get_attribute(machine: Machine, value: Value, name: str, node: ast.AST) -> Value:
    """What `value.name` stands for."""
    if isinstance(value, HalfBound):
        return get_attribute(machine, value.value, name, node)
    if isinstance(value, Choice):
        with machine.unsure(len(value.options) > 1):
            return join_all([get_attribute(machine, it, name, node) for it in value.options])
    if isinstance(value, Library):
        return Library(f"{value.path}.{name}")
    if isinstance(value, Thing):
        return _of_thing(machine, value, name, node)
    if isinstance(value, Data):
        return _of_data(value, name)
    if isinstance(value, Parameters) and name == "grad":
        return Data("gradient", models=(value.model,))
    if isinstance(value, Class):
        return value.find(name) or Thing(node=node, given=True)
    if isinstance(value, Mapping) and name in value.items:
        return value.items[name]
    return Method(value, name)


def _of_data(value: Data, name: str) -> Value:
    if name in ("shape", "ndim"):
        return combine([replace(value, models=(), scaled=None)], "count" if name == "shape" else "number")
    if name == "loss":
        return replace(value, form="loss")
    if name in ("data", "T", "real", "grad"):
        return value
    if name == "device":
        return Thing(own_kind="device", given=True)
    return Method(value, name)


def _of_thing(machine: Machine, thing: Thing, name: str, node: ast.AST) -> Value:
    if name in thing.attrs:
        return thing.attrs[name]
    found = _of_class(machine, thing, name, node)
    if found is not None:
        return found
    by_name = thing.name in ("accelerator", "acc", "_accelerator")
    if thing.kind == "" and thing.cls is None and (name in ONLY_ACCELERATORS or by_name):
        thing.kind = "accelerator"
        thing.root.given = True
    if thing.kind == "accelerator":
        machine.touch(thing)
        return accelerator_attribute(machine, thing, name, node)
    if thing.kind == "model":
        return _of_model(machine, thing, name, node)
    if thing.kind == "optimizer":
        if name == "optimizer":
            return thing.base or thing
        return Method(thing, name) if name in _OPTIMIZER else thing.part(name)
    if thing.kind == "loader" and name in ("dataset", "sampler", "batch_sampler"):
        return _of_loader(thing, name)
    if thing.kind == "":
        part = thing.part(f".{name}")
        if name == "dataset" and isinstance(part, Thing) and not part.kind:
            part.kind = "dataset"
            part.facts["loader"] = thing
        return part
    return Method(thing, name)


def _of_class(machine: Machine, thing: Thing, name: str, node: ast.AST) -> Value | None:
    """What the script's own class has under this name."""
    from looplift.inspection.expressions import call

    found = thing.cls.find(name) if thing.cls is not None else None
    if thing.wrap and thing.kind == "model" and found is not None:
        return None  # a wrapper has none of the model's own attributes
    if isinstance(found, Function):
        if found.is_static:
            return found
        bound = replace(found, bound=thing)
        return call(machine, bound, Args(), node) if found.is_property else bound
    return found


def _of_model(machine: Machine, thing: Thing, name: str, node: ast.AST) -> Value:
    if name == "module":
        return thing.wrapped("around", node) if thing.wrap in ("prepared", "ddp") else thing
    if thing.wrap in ("prepared", "ddp") and name not in OF_MODULES and not name.startswith("__"):
        machine.note("attribute", node, thing, name=name)
    if name in _MODEL_METHODS:
        return Method(thing, name)
    part = thing.part(f".{name}")
    if isinstance(part, Thing) and not part.kind and thing.wrap != "prepared":
        part.part_of = thing
    return part


def _of_loader(thing: Thing, name: str) -> Value:
    known = thing.facts.get(name)
    if isinstance(known, Value):
        return known
    part = thing.root.part(f".{name}")
    if name == "dataset" and isinstance(part, Thing):
        part.kind = "dataset"
        part.facts["loader"] = thing
    return part


def set_attribute(machine: Machine, base: Value, name: str, value: Value, node: ast.AST) -> None:
    """`base.name = value`."""
    if isinstance(base, HalfBound):
        base = base.value
    if isinstance(base, Choice):
        for it in base.options:
            set_attribute(machine, it, name, value, node)
    elif isinstance(base, Parameters):
        if name == "requires_grad":
            freeze(machine, base.model, isinstance(value, Const) and value.value is False, node)
        elif name == "grad":
            machine.note("zero_grad", node, base.model)
    elif isinstance(base, Thing):
        base.attrs[name] = _kept(machine, base, name, value)
        if base.kind == "accelerator" and name == "gradient_accumulation_steps":
            base.facts["steps"] = value
        if base.kind == "model" or base.part_of is not None:
            base.whole.facts["frozen"] = None
        if isinstance(value, Thing) and base.kind == "model" and value.root is not base.root:
            value.root.part_of = value.root.part_of or base
    elif isinstance(base, Mapping):
        base.items[name] = value


def _kept(machine: Machine, base: Thing, name: str, value: Value) -> Value:
    """What an attribute is after a write: one of two, when the write stands in a branch and the one before did not."""
    branches = {id(it.node) for it in machine.inside if it.kind == "if"}
    written = base.facts.setdefault("written", {})
    before = base.attrs.get(name)
    new = branches - written.get(name, branches)
    written[name] = branches
    return join(before, value) if before is not None and new else value


def freeze(machine: Machine, model: Thing, off: bool, node: ast.AST) -> None:
    """Parameters stop or begin to ask for gradients."""
    whole = model.whole
    if off and model.root is whole:
        whole.facts["frozen"] = node
    elif not off:
        whole.facts["frozen"] = None
        whole.facts["thawed"] = True
    if off:
        prepared = model.wrap == "prepared" or bool(whole.facts.get("prepared at"))
        machine.note("freeze", node, model, late=prepared, whole=whole)
