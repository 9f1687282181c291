"""Statements, one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable

from looplift.inspection.branching import run_if
from looplift.inspection.data import Data
from looplift.inspection.definitions import define_class, define_function, import_names
from looplift.inspection.expressions import evaluate
from looplift.inspection.joining import combine
from looplift.inspection.looping import go_through, rounds
from looplift.inspection.machine import Machine
from looplift.inspection.scope import Scope
from looplift.inspection.targets import assign
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Inside
from looplift.inspection.values import Const, Library, Never
from looplift.inspection.withs import entered

Ends = str  # how a block always ends: "return", "break", "continue", "raise", or "" when it goes on


def run_block(machine: Machine, scope: Scope, body: list[ast.stmt]) -> Ends:
    """Go through statements. What follows `if not main: return` stands in a branch of the main process."""
    for index, statement in enumerate(body):
        if machine.spent:
            return ""
        if isinstance(statement, ast.If):
            ends, rest = run_if(machine, scope, statement)
            if ends:
                return ends
            if rest is not None:
                with machine.within(rest):
                    return run_block(machine, scope, body[index + 1 :])
            continue
        handler = _HANDLERS.get(type(statement))
        ends = handler(machine, scope, statement) if handler else ""
        if ends:
            return ends
    return ""


def _expression(machine: Machine, scope: Scope, node: ast.Expr) -> Ends:
    machine.dropped = node.value
    value = evaluate(machine, scope, node.value)
    return "raise" if isinstance(value, Never) else ""


def _assign(machine: Machine, scope: Scope, node: ast.Assign) -> Ends:
    value = evaluate(machine, scope, node.value)
    for target in node.targets:
        assign(machine, scope, target, value, node.value)
    return ""


def _annotated(machine: Machine, scope: Scope, node: ast.AnnAssign) -> Ends:
    if node.value is not None:
        assign(machine, scope, node.target, evaluate(machine, scope, node.value), node.value)
    return ""


def _augmented(machine: Machine, scope: Scope, node: ast.AugAssign) -> Ends:
    load = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
    value = evaluate(machine, scope, load)
    assign(machine, scope, node.target, value, node.value)
    return ""


def _loaded(target: ast.expr) -> ast.expr:
    """The same name, attribute or item, to be read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    assert isinstance(target, ast.Subscript)
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)


def _for(machine: Machine, scope: Scope, node: ast.For | ast.AsyncFor) -> Ends:
    source = evaluate(machine, scope, node.iter)
    for element in rounds(machine, node, source):
        with go_through(machine, node, source):
            assign(machine, scope, node.target, element, None)
            ends = run_block(machine, scope, node.body)
        if ends in ("break", "return", "raise"):
            break
    run_block(machine, scope, node.orelse)
    return ""


def _while(machine: Machine, scope: Scope, node: ast.While) -> Ends:
    with machine.within(Inside("loop", node)):
        test = evaluate(machine, scope, node.test)
        local = combine([test])
        if local.local and local.sure:
            machine.note("exit", node.test, how="condition")
        run_block(machine, scope, node.body)
    run_block(machine, scope, node.orelse)
    return ""


def _with(machine: Machine, scope: Scope, node: ast.With | ast.AsyncWith) -> Ends:
    insides: list[Inside] = []
    for item in node.items:
        value = evaluate(machine, scope, item.context_expr)
        insides += entered(item.context_expr, value)
        if item.optional_vars is not None:
            assign(machine, scope, item.optional_vars, value, None)
    with machine.within(*insides):
        return run_block(machine, scope, node.body)


def _try(machine: Machine, scope: Scope, node: ast.Try) -> Ends:
    ends = run_block(machine, scope, node.body)
    ends = ends or run_block(machine, scope, node.orelse)
    for handler in node.handlers:
        if handler.name:
            scope.bind(handler.name, Thing(node=handler, given=True))
        with machine.within(Inside("if", handler)):
            run_block(machine, scope, handler.body)
    return run_block(machine, scope, node.finalbody) or ("" if node.handlers else ends)


def _return(machine: Machine, scope: Scope, node: ast.Return) -> Ends:
    value = evaluate(machine, scope, node.value) if node.value is not None else Const(None)
    if machine.frames:
        machine.frames[-1].returns.append(value)
    machine.note("exit", node, how="return")
    return "return"


def _leave(how: str) -> Callable[..., Ends]:
    def leave(machine: Machine, scope: Scope, node: ast.stmt) -> Ends:
        machine.note("exit", node, how=how)
        return how

    return leave


def _raise(machine: Machine, scope: Scope, node: ast.Raise) -> Ends:
    if node.exc is not None:
        evaluate(machine, scope, node.exc)
    return "raise"


def _delete(machine: Machine, scope: Scope, node: ast.Delete) -> Ends:
    for target in node.targets:
        if isinstance(target, ast.Name):
            scope.names.pop(target.id, None)
    return ""


def _elsewhere(machine: Machine, scope: Scope, node: ast.Global | ast.Nonlocal) -> Ends:
    scope.elsewhere.update(node.names)
    return ""


def _assert(machine: Machine, scope: Scope, node: ast.Assert) -> Ends:
    evaluate(machine, scope, node.test)
    return ""


def _match(machine: Machine, scope: Scope, node: ast.Match) -> Ends:
    subject = evaluate(machine, scope, node.subject)
    data = subject if isinstance(subject, Data) else combine([subject])
    for case in node.cases:
        with machine.within(Inside("if", case, local=data.local)):
            run_block(machine, scope, case.body)
    return ""


def _import(machine: Machine, scope: Scope, node: ast.Import | ast.ImportFrom) -> Ends:
    for name, path in import_names(node):
        scope.bind(name, Library(path))
    return ""


_HANDLERS: dict[type[ast.AST], Callable[..., Ends]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Return: _return,
    ast.Break: _leave("break"),
    ast.Continue: _leave("continue"),
    ast.Raise: _raise,
    ast.Delete: _delete,
    ast.Global: _elsewhere,
    ast.Nonlocal: _elsewhere,
    ast.Assert: _assert,
    ast.Match: _match,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.FunctionDef: define_function,
    ast.AsyncFunctionDef: define_function,
    ast.ClassDef: define_class,
}
if hasattr(ast, "TryStar"):
    _HANDLERS[ast.TryStar] = _try
