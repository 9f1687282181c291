"""Definitions: imports, functions, classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from looplift.inspection.expressions import call, evaluate
from looplift.inspection.machine import Machine
from looplift.inspection.scope import Scope
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Choice, Class, Function, Library, Method, Value
from looplift.inspection.withs import is_no_grad

# What a class of the script becomes by inheriting: the last part of a library class's path.
KINDS = {
    "Module": "model",
    "Accelerator": "accelerator",
    "Dataset": "dataset",
    "IterableDataset": "dataset",
    "Sampler": "sampler",
    "PreTrainedModel": "model",
    "Optimizer": "optimizer",
    "LRScheduler": "scheduler",
    "_LRScheduler": "scheduler",
    "DataLoader": "loader",
}


def import_names(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """(name, path) for each name that an import binds."""
    for it in node.names:
        if isinstance(node, ast.Import):
            yield (it.asname, it.name) if it.asname else (it.name.split(".")[0], it.name.split(".")[0])
        elif it.name != "*":
            yield it.asname or it.name, f"{'.' * node.level}{node.module or ''}.{it.name}"


def define_function(machine: Machine, scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    value: Value = Function(node, scope)
    for decorator in reversed(node.decorator_list):
        value = _decorated(machine, scope, decorator, value)
    for default in (*node.args.defaults, *(it for it in node.args.kw_defaults if it)):
        evaluate(machine, scope, default)
    scope.bind(node.name, value)
    return ""


def _decorated(machine: Machine, scope: Scope, decorator: ast.expr, value: Value) -> Value:
    if not isinstance(value, Function):
        return value
    found = evaluate(machine, scope, decorator)
    if is_no_grad(found):
        return replace(value, no_grad=True)
    if isinstance(found, Library):
        if found.name in ("property", "cached_property"):
            return replace(value, is_property=True)
        if found.name in ("staticmethod", "classmethod"):
            return replace(value, is_static=found.name == "staticmethod")
    if isinstance(found, Method) and isinstance(found.of, Thing) and found.of.kind == "accelerator":
        result = call(machine, found, Args([value]), decorator)
        return result if isinstance(result, Function) else value
    return value


def define_class(machine: Machine, scope: Scope, node: ast.ClassDef) -> str:
    from looplift.inspection.statements import run_block

    bases = tuple(evaluate(machine, scope, it) for it in node.bases)
    inner = Scope(scope, is_class=True)
    run_block(machine, inner, [it for it in node.body if not isinstance(it, ast.Expr)])
    scope.bind(node.name, Class(node, bases, inner.names, _library(bases)))
    return ""


def _library(bases: tuple[Value, ...]) -> str:
    for it in bases:
        for option in it.options if isinstance(it, Choice) else (it,):
            if isinstance(option, Library):
                return option.path
            if isinstance(option, Class) and option.library:
                return option.library
    return ""


def kind_of_class(cls: Class) -> str:
    """What kind of thing an instance is, by what the class inherits: `model`, or "" for the script's own kind."""
    name = cls.library.rpartition(".")[2]
    return KINDS.get(name, "model" if name.endswith(("PreTrainedModel", "ForCausalLM", "Model")) else "")
