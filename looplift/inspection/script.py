"""Go through a whole script: its lines, then the functions that no line has called."""

from __future__ import annotations

import ast

from looplift.inspection.calls import call_function, instantiate
from looplift.inspection.machine import Machine
from looplift.inspection.statements import run_block
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Trace
from looplift.inspection.values import Args, Class, Function, Value


def trace_script(tree: ast.Module) -> Trace:
    """What the script would do. Functions that are only defined are gone through with unknown arguments."""
    machine = Machine()
    machine.scope = machine.module
    run_block(machine, machine.module, tree.body)
    defined = list(machine.module.names.items())
    used = _used(tree)
    # First those that no other function names: they enter the rest with the arguments that the script gives them.
    for _, value in sorted(defined, key=lambda it: it[0] in used):
        _enter(machine, value)
    return machine.trace


def _used(tree: ast.Module) -> set[str]:
    """Names that the body of some other function or class mentions."""
    found: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            words = {it.id for it in ast.walk(statement) if isinstance(it, ast.Name)}
            found |= words - {statement.name}
    return found


def _enter(machine: Machine, value: Value) -> None:
    if isinstance(value, Function):
        if value.node not in machine.called:
            call_function(machine, value, _anything(), value.node)
    elif isinstance(value, Class):
        _enter_class(machine, value)


def _enter_class(machine: Machine, cls: Class) -> None:
    """Methods that nothing has called, on an object of the class."""
    methods = [it for it in cls.attrs.values() if isinstance(it, Function) and it.node not in machine.called]
    if not methods:
        return
    this = instantiate(machine, cls, _anything(), cls.node)
    for it in methods:
        if it.node in machine.called:
            continue
        bound = it if it.is_static else Function(it.node, it.scope, this, it.ranks, no_grad=it.no_grad)
        call_function(machine, bound, _anything(), it.node)


def _anything() -> Args:
    """Arguments that the text does not give: a default of None may be something else."""
    return Args(named={"*": Thing(given=True)})
