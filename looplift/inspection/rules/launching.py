"""notebook_launcher: what is passed to it, and what must not be there before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.inspection.case import Case, Hit
from looplift.inspection.trace import Event
from looplift.inspection.values import Const, Function, Sequence, Value


def _launches(case: Case) -> list[Event]:
    return [it for it in case.trace.of("launch") if it.facts["name"] == "notebook_launcher"]


def arguments(case: Case) -> Iterator[Hit]:
    """What notebook_launcher is given."""
    for event in _launches(case):
        call = event.node
        first = call.args[0] if isinstance(call, ast.Call) and call.args else None
        function, args = event.facts["function"], event.facts["args"]
        if isinstance(first, ast.Call) and not isinstance(function, Function):
            yield Hit(
                "called-before-launch",
                call,
                "the function is called here, and only its result is launched",
                "pass the function without calling it: notebook_launcher(train, args, num_processes=2)",
            )
            continue
        if (
            "num_processes" not in event.facts["named"]
            and event.facts["count"] < 3
            and "**" not in event.facts["named"]
        ):
            yield Hit(
                "no-num-processes",
                call,
                "notebook_launcher is not told how many processes to start",
                "add num_processes=2",
            )
        if isinstance(args, Const) and args.value is not None:
            yield Hit(
                "called-with-arguments",
                call,
                f"args is {args.value!r}, not a tuple: it is unpacked, item by item",
                "write a tuple, with a comma even for one argument: args=(value,)",
            )
        elif isinstance(function, Function):
            yield from _count(call, function, args)
        if not event.facts["dropped"]:
            yield Hit(
                "launcher-result",
                call,
                "notebook_launcher gives nothing back: the function ran in other processes",
                "let the function write its result to a file, and read it here",
            )


def _count(call: ast.AST, function: Function, args: Value | None) -> Iterator[Hit]:
    """As many arguments as the function takes."""
    items = args.items if isinstance(args, Sequence) and args.rest is None else [] if args is None else None
    if items is None or isinstance(function.node, ast.Lambda):
        return
    spec = function.node.args
    most = len(spec.posonlyargs) + len(spec.args) - (1 if function.bound is not None else 0)
    least = most - len(spec.defaults)
    if not least <= len(items) and not spec.kwarg or (len(items) > most and spec.vararg is None):
        takes = f"{most}" if least == most else f"{least} to {most}"
        yield Hit(
            "called-with-arguments",
            call,
            f"{function.node.name} takes {takes} arguments, and args holds "
            f"{len(items)}: the launcher passes those and nothing else, no process index",
            "let args hold one value for each parameter",
        )


def before(case: Case) -> Iterator[Hit]:
    """An Accelerator, or the GPU, touched at module level before the launch."""
    launches = _launches(case)
    last = max((it.at for it in launches if it.root is None), default=None)
    if last is None:
        return
    launched = {it.facts["function"].node for it in launches if isinstance(it.facts["function"], Function)}
    for event in case.trace.of("accelerator"):
        if event.at < last and event.root not in launched:
            yield Hit(
                "accelerator-outside",
                event.node,
                "this Accelerator belongs to the notebook's own process, and "
                "notebook_launcher refuses to start others from it",
                "make it inside the launched function",
            )
    for event in case.trace.of("move"):
        if event.root is None and event.at < last and event.to.startswith("cuda"):
            yield Hit(
                "device-before-launch",
                event.node,
                "the GPU is used before the launch, and a process that has touched it cannot be forked",
                "move nothing to a GPU outside the launched function",
            )


def inside(case: Case) -> Iterator[Hit]:
    """A launcher inside a function that is launched."""
    launched = [
        it.facts["function"].node for it in _launches(case) if isinstance(it.facts["function"], Function)
    ]
    for event in _launches(case):
        if event.root is not None and event.root in launched:
            yield Hit(
                "launcher-inside",
                event.node,
                "the launched function calls notebook_launcher itself",
                "write the training into the function, and launch it from outside",
            )


def spawned(case: Case) -> Iterator[Hit]:
    """A lambda handed to processes that are spawned."""
    for event in case.trace.of("by hand"):
        function = event.facts.get("function")
        if (
            event.facts["what"] == "spawn"
            and isinstance(function, Function)
            and isinstance(function.node, ast.Lambda)
        ):
            yield Hit(
                "lambda-under-spawn",
                event.node,
                "a lambda cannot be sent to a spawned process",
                "name the function at module level and pass that",
            )


RULES = (arguments, before, inside, spawned)
