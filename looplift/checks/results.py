"""What a notebook expects of a launch, and what it must not do before one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from looplift.checks.lines import Function
from looplift.evidence import Run
from looplift.submission import Cell
from looplift.verdict import Finding, Place

Event = dict[str, Any]
# Asking for these starts no CUDA: Accelerate asks the driver's own library.
_ASKED = {"is_available", "device_count", "is_initialized"}


def result_expected(run: Run, call: Event) -> Finding | None:
    """The finding when the notebook goes on with what a launch cannot give it: a result, or what a process left in
    its own memory."""
    read = _result_read(run, call)
    if read is not None:
        return _finding("the notebook goes on with what notebook_launcher gives back, which is None", read)
    names = sorted({name for it in run.of("left behind") for name in it["names"]})
    for cell, node in _after(run, call):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            saw = f"{node.id} is filled in the processes, and the notebook reads its own, which is as it was"
            return _finding(saw, run.submission.place_of(cell, node))
    return None


def _finding(saw: str, where: Place | None) -> Finding:
    return Finding(
        "launcher-result",
        saw,
        "a launch whose result is printed by the function, or written to a file by the main process",
        "the processes have gone, and their memory with them",
        where,
        "print the accuracy inside the function with accelerator.print; to go on with a number, let the main process "
        "write it to a file and read that after the launch",
    )


def _result_read(run: Run, call: Event) -> Place | None:
    """Where the value of the launch is used; None when it is dropped, or has a name that nobody reads."""
    where = call["where"]
    cell = next((it for it in run.submission.written if where and it.name == where[0]), None)
    if cell is None or cell.tree is None:
        return None
    for statement in ast.walk(cell.tree):
        if not isinstance(statement, ast.stmt) or not _launches_in(statement, where[1]):
            continue
        if isinstance(statement, (ast.Expr, ast.Return)) and isinstance(statement.value, ast.Call):
            return None if _is_launch(statement.value, where[1]) else run.submission.place_of(cell, statement)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = {it.id for target in targets for it in ast.walk(target) if isinstance(it, ast.Name)}
            return next((
                run.submission.place_of(other, node) for other, node in _after(run, call)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
            ), None)  # fmt: skip
    return None


def _launches_in(statement: ast.stmt, line: int) -> bool:
    """Whether a launch on that line stands in the statement itself, not in another one inside it."""
    if not any(_is_launch(node, line) for node in ast.walk(statement)):
        return False
    inner = (it for it in ast.walk(statement) if isinstance(it, ast.stmt) and it is not statement)
    return not any(_is_launch(node, line) for it in inner for node in ast.walk(it))


def _is_launch(node: ast.AST, line: int) -> bool:
    if not isinstance(node, ast.Call) or not node.lineno <= line <= (node.end_lineno or node.lineno):
        return False
    return "launch" in (
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    )


def _top_level(cell: Cell) -> Iterator[ast.AST]:
    """The syntax nodes of a cell that its own lines run: not those inside functions and classes."""
    waiting: list[ast.AST] = list(cell.tree.body) if cell.tree else []
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (*Function, ast.ClassDef, ast.Lambda)):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def _after(run: Run, call: Event) -> Iterator[tuple[Cell, ast.AST]]:
    """Syntax nodes that run after a launch: later lines of its cell, and later cells."""
    where, passed = call["where"], False
    for cell in run.submission.written:
        here = bool(where) and cell.name == where[0]
        for node in _top_level(cell) if passed or here else ():
            if passed or getattr(node, "lineno", 0) > where[1]:
                yield cell, node
        passed = passed or here


def gpu_touched(run: Run) -> Finding | None:
    """The finding when a line of the notebook would use a GPU where there is one, before the launch. A CPU cannot show
    it, so the text decides."""
    names: set[str] = set()  # that stand for a GPU where there is one
    for cell in run.submission.written:
        for node in _top_level(cell):
            if isinstance(node, ast.Assign) and _is_gpu(node.value, names):
                names |= {it.id for it in node.targets if isinstance(it, ast.Name)}
            if isinstance(node, ast.Call) and _uses_gpu(node, names):
                return Finding(
                    "device-before-launch",
                    "a cell of the notebook uses the GPU where there is one",
                    expected="no line outside training_loop that needs a device",
                    so="a process that has used CUDA cannot be forked, and the launch stops with "
                    "`CUDA has been initialized before the notebook_launcher could create a forked subprocess`",
                    where=run.submission.place_of(cell, node),
                    next="move it into training_loop, or leave it on the CPU; then restart the kernel",
                )
    return None


def _uses_gpu(call: ast.Call, names: set[str]) -> bool:
    """`.cuda()`, `.to("cuda")`, `device="cuda"`, and what `torch.cuda` does more than answer questions."""
    function = call.func
    if isinstance(function, ast.Attribute):
        owner = ast.unparse(function.value)
        if owner.endswith("torch.cuda") or owner == "cuda":
            return function.attr not in _ASKED
        if function.attr == "cuda":
            return True
        if function.attr == "to" and any(_is_gpu(it, names) for it in call.args):
            return True
    return any(it.arg == "device" and _is_gpu(it.value, names) for it in call.keywords)


def _is_gpu(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is a GPU, at least where there is one."""
    if isinstance(node, ast.IfExp):
        return _is_gpu(node.body, names) or _is_gpu(node.orelse, names)
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("device") and node.args:
        return _is_gpu(node.args[0], names)
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Constant) and str(node.value).startswith(("cuda", "xpu"))
