"""What a plain PyTorch script would have to change to run with Accelerate, in the order of its lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, for_one_process, name_of
from looplift.inspection.data import Data, State
from looplift.inspection.thing import Thing

PREPARED = {
    "model": ("unprepared-model", "the model"),
    "optimizer": ("unprepared-optimizer", "the optimizer"),
    "loader": ("unprepared-loader", "the loader"),
    "scheduler": ("unprepared-scheduler", "the scheduler"),
}


def accelerator(case: Case) -> Iterator[Hit]:
    """Where the Accelerator is made: in the place of the device, or where training begins."""
    for root in dict.fromkeys(it.root for it in case.backwards):
        devices = [
            it.node for it in case.of("device") if it.root in (root, None) and not it.thing.facts.get("mine")
        ]
        for node in devices:
            yield Hit(
                "no-accelerator",
                node,
                "the device is chosen by hand",
                "write accelerator = Accelerator() here, and "
                "accelerator.device where a device is really needed",
            )
        joined = [it.node for it in case.of("by hand") if it.facts["what"] == "init_process_group"]
        if joined and not devices:
            yield Hit(
                "no-accelerator",
                joined[0],
                "the processes are joined without an Accelerator",
                "write accelerator = Accelerator() here",
            )
        elif not devices:
            first = min((it for it in case.events if it.root is root), key=lambda it: it.at)
            yield Hit(
                "no-accelerator",
                root or first.node,
                "training begins here without an Accelerator",
                "write accelerator = Accelerator() as one of its first lines",
            )


def moves(case: Case) -> Iterator[Hit]:
    """Moves to take out."""
    for event in case.of("move"):
        what = event.of
        if event.to == "cpu" and not isinstance(what, Thing):
            continue
        if isinstance(what, Data) and what.form == "number" and not what.loader:
            yield Hit(
                "manual-move",
                event.node,
                f"a tensor of your own is put on {event.to}",
                "put it on accelerator.device",
            )
        else:
            name = name_of(what, "it") if isinstance(what, Thing) else "a batch"
            yield Hit(
                "manual-move",
                event.node,
                f"{name} is moved to {event.to} by hand",
                "take the move out: prepare sees to it",
            )


def backward(case: Case) -> Iterator[Hit]:
    """Backward through the Accelerator."""
    for event in case.backwards:
        yield Hit(
            "plain-backward", event.node, "backward is called on the loss", "write accelerator.backward(loss)"
        )
    for event in case.of("clip"):
        yield Hit(
            "clipped-on-every-micro-step",
            event.node,
            "gradients are clipped by torch",
            "write accelerator.clip_grad_norm_(model.parameters(), ...): it knows of scaled gradients",
        )


def objects(case: Case) -> Iterator[Hit]:
    """What goes through prepare: each object on the line that names it, and the call with all their names."""
    for root in dict.fromkeys(it.root for it in case.backwards):
        found = list(_prepared(case, root))
        names = list(dict.fromkeys(name_of(thing, kind) for kind, thing in found))
        call = f"{', '.join(names)} = accelerator.prepare({', '.join(names)})"
        lines: dict[tuple[str, int], tuple[ast.AST, list[Thing]]] = {}
        for kind, thing in found:
            lines_of = thing.facts.get("wrapped on" if thing.wrap == "ddp" else "named on", {})
            node = lines_of.get(root) or thing.root.node
            if isinstance(node, ast.AST):
                lines.setdefault((kind, getattr(node, "lineno", 0)), (node, []))[1].append(thing)
        for (kind, _), (node, things) in lines.items():
            id, what = PREPARED[kind]
            called = " and ".join(dict.fromkeys(name_of(it, what) for it in things))
            yield Hit(
                id, node, f"{called} {'has' if len(things) == 1 else 'have'} to go through prepare", call
            )


def _prepared(case: Case, root: ast.AST | None) -> Iterator[tuple[str, Thing]]:
    """(kind, object) in the order in which prepare is usually given them, each once."""
    seen: set[int] = set()
    mine = [it for it in case.events if it.root is root]
    backwards = [it for it in mine if it.kind == "backward" and it.data]
    trained = [model for it in backwards for model in it.data.models]
    steps = [it.of for it in mine if it.kind == "step" and isinstance(it.of, Thing)]
    scheduled = [it.of for it in mine if it.kind == "schedule" and isinstance(it.of, Thing)]
    loaders = [it.data.loader for it in backwards if it.data.loader is not None]
    drawn = [it.data.loader for it in mine if it.kind == "forward" and it.data.loader is not None]
    held = {id(model.whole) for it in steps for model in it.facts.get("models", [])}
    models = [
        it if it.root is it.whole else it.whole
        for it in trained
        if it.whole.kind == "model" and (not held or id(it.whole) in held)
    ]
    every = (
        ("model", models),
        ("optimizer", steps),
        ("loader", [*loaders, *drawn]),
        ("scheduler", scheduled),
    )
    for kind, things in every:
        for thing in things:
            if id(thing.root) not in seen and thing.kind in (kind, ""):
                seen.add(id(thing.root))
                yield kind, thing


def metrics(case: Case) -> Iterator[Hit]:
    """Evaluation that has to be gathered."""
    for event in case.of("iterate"):
        loader = event.of
        evaluated = [
            it for it in case.of("forward")
            if it.data.loader is loader and it.data.loop is not None and it.data.loop not in case.loops_with_backward
        ]  # fmt: skip
        if evaluated and loader not in case.trained_loaders:
            yield Hit(
                "local-metric",
                event.node,
                "what is counted in this loop will be one process's share",
                "bring predictions and labels of each batch together first: "
                "accelerator.gather_for_metrics((predictions, labels))",
            )


def prints(case: Case) -> Iterator[Hit]:
    """Lines and bars that every process would show."""
    roots = {it.root for it in case.backwards}
    for event in case.of("print"):
        if event.root not in roots or for_one_process(event):
            continue
        bar = event.facts["how"] == "bar"
        yield Hit(
            "printed-by-every-rank",
            event.node,
            "every process would " + ("draw this bar" if bar else "print this"),
            "add disable=not accelerator.is_local_main_process" if bar else "write accelerator.print",
        )


def logs(case: Case) -> Iterator[Hit]:
    """Logs that every process would open."""
    roots = {it.root for it in case.backwards}
    for event in case.of("writer"):
        if event.root in roots and not for_one_process(event):
            yield Hit(
                "log-on-every-rank",
                event.node,
                "every process would open this log",
                'let the accelerator open it: Accelerator(log_with="tensorboard", project_dir=...) and init_trackers',
            )


def saves(case: Case) -> Iterator[Hit]:
    """Files that every process would write."""
    for event in case.of("save"):
        unwrap = isinstance(event.value, State) or event.value is not None
        yield Hit(
            "saved-on-the-wrong-ranks",
            event.node,
            "every process would write this file",
            "write accelerator.save(...), with accelerator.unwrap_model(model) for its state"
            if unwrap
            else "write accelerator.save(...)",
        )


def ends(case: Case) -> Iterator[Hit]:
    """Loops that are left on a value which each process would have for itself."""
    for event in case.of("exit"):
        if event.facts["how"] not in ("break", "continue") or event.loop is None:
            continue
        if event.loop.node not in case.training_loops:
            continue
        tests = [it.node.test for it in event.inside if it.kind == "if" and isinstance(it.node, ast.If)]
        if any(_asks_the_loss(test) for test in tests):
            yield Hit(
                "different-step-counts",
                event.node,
                "each process would decide this for itself, and the others would wait",
                "decide together, on accelerator.reduce(loss)",
            )


def _asks_the_loss(test: ast.expr) -> bool:
    words = {
        it.attr if isinstance(it, ast.Attribute) else it.id
        for it in ast.walk(test)
        if isinstance(it, (ast.Attribute, ast.Name))
    }
    return any("loss" in it for it in words) and bool(
        words & {"item", "isnan", "isfinite", "isinf"} or len(words) < 4
    )


RULES = (accelerator, moves, backward, objects, metrics, prints, logs, saves, ends)
