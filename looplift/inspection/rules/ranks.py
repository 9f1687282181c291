"""What only some processes do, and what they decide for themselves."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, conditional, name_of, source
from looplift.inspection.looping import is_shared
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event

_WHO = {
    "main": "only the main process",
    "other": "every process but the main one",
    "some": "only some processes",
}


def _who(event: Event) -> str:
    return _WHO[event.ranks.which] if event.ranks else ""


def _reached(case: Case, *kinds: str) -> list[Event]:
    """Events that only some processes reach. What comes after the others have ended is not said again."""
    left = {it.ranks.node for it in case.of("leave") if it.ranks is not None}
    return [it for it in case.of(*kinds) if it.ranks is not None and it.sure and it.ranks.node not in left]


def collectives(case: Case) -> Iterator[Hit]:
    """A call that waits for all processes, reached by some."""
    calls = _reached(case, "collective", "prepare", "backward")
    # `if not main: wait(); ...; if main: wait()` lets one process go first, and all of them arrive.
    ways = Counter((it.root, _called(it), it.ranks.which) for it in calls if it.ranks)
    for event in calls:
        name = _called(event)
        if ways[event.root, name, "main"] == ways[event.root, name, "other"]:
            continue
        if event.kind == "backward" and not event.through and not (event.data and event.data.models):
            continue
        yield Hit(
            "collective-on-some-ranks",
            event.node,
            f"{_who(event)} reaches {name}, which waits for all of them",
            "take the call out of the `if`; keep there only what needs no other process",
        )


def _called(event: Event) -> str:
    return str(event.facts.get("name") or event.kind)


def evaluation(case: Case) -> Iterator[Hit]:
    """A prepared loader gone through by the main process alone."""
    for event in _reached(case, "iterate"):
        loader = event.of
        if not isinstance(loader, Thing) or loader.wrap != "prepared":
            continue
        yield Hit(
            "evaluated-on-main-only",
            event.node,
            f"{_who(event)} goes through {name_of(loader, 'this loader')}, "
            "which is prepared and gives it only its share",
            "go through it on every process, gather with "
            "gather_for_metrics, and keep only the printing for one",
        )


def steps(case: Case) -> Iterator[Hit]:
    """Steps of the optimizer, the scheduler, and ends, for some processes."""
    for event in (
        *_reached(case, "step", "schedule"),
        *(it for it in case.of("leave") if it.ranks and it.sure),
    ):
        if event.kind == "step":
            yield Hit(
                "no-step-on-a-rank",
                event.node,
                f"{_who(event)} takes the optimizer step: the processes train different models",
                "call optimizer.step() on every process",
            )
        elif event.kind == "schedule":
            yield Hit(
                "ranks-have-other-rates",
                event.node,
                f"{_who(event)} moves the learning rate",
                "step the scheduler on every process",
            )
        elif _more_follows(case, event):
            yield Hit(
                "rank-died",
                event.node,
                f"{_who(event)} ends here, and the others wait for it later on",
                "let every process go to the end of the function",
            )


def _more_follows(case: Case, event: Event) -> bool:
    """Whether the processes still meet after this, in the text or in the next round of the loop."""
    meets = case.of("collective", "backward", "prepare", "iterate")
    return any(
        it.root is event.root and (it.at > event.at or set(it.loops) & set(event.loops)) for it in meets
    )


def _draws(node: ast.AST) -> bool:
    """Whether a condition takes the next batches: `while group := list(islice(batches, 4))`, `while next(...)`."""
    names = (
        getattr(it.func, "id", getattr(it.func, "attr", ""))
        for it in ast.walk(node)
        if isinstance(it, ast.Call)
    )
    return any(name in ("next", "islice", "batched") for name in names)


def early_ends(case: Case) -> Iterator[Hit]:
    """A loop that a process leaves, or a batch that it skips, on a value of its own."""
    for event in case.of("exit"):
        how = event.facts["how"]
        if any(it.kind == "uneven" for it in event.inside) or not event.sure:
            continue
        loops = list(event.within("loop"))
        if how == "return":
            left = next((it for it in loops if it.node in case.training_loops), None)
        else:
            left = loops[0] if loops else None
        if left is None or left.node not in case.loops_with_backward:
            continue
        if how == "condition" and _draws(event.node):
            continue  # it goes on as long as the loader has batches
        decides = how == "condition" or any(it.local for it in conditional(event, left.node))
        drawn = left.of if isinstance(left.of, Thing) else next(iter(case.trained_loaders), None)
        if decides and (drawn is None or is_shared(drawn)):
            what = "skips a batch" if how == "continue" else "leaves the loop"
            yield Hit(
                "different-step-counts",
                event.node,
                f"a process {what} on a value of its own, and the others wait for it",
                "decide together: on accelerator.reduce(value), or with set_trigger and check_trigger",
            )


def uneven(case: Case) -> Iterator[Hit]:
    """even_batches=False in training."""
    for loader in case.trained_loaders:
        accelerator = loader.facts.get("accelerator")
        if loader.wrap != "prepared" or not isinstance(accelerator, Thing):
            continue
        if accelerator.facts.get("even_batches") is not False:
            continue
        backs = [it for it in case.backwards if it.data and it.data.loader is loader]
        if any(it.kind == "uneven" for back in backs for it in back.inside):
            continue
        made = next((it for it in case.of("accelerator") if it.of is accelerator), backs[0])
        yield Hit(
            "different-step-counts",
            made.node,
            "with even_batches=False a process may get one batch fewer, and "
            "the others wait for it in backward",
            "leave even_batches as it is for training",
        )


def half_bound(case: Case) -> Iterator[Hit]:
    """A name that only one branch of the processes has given a value."""
    for event in case.of("half bound"):
        who = _WHO.get(event.facts["ranks"], "only some processes")
        yield Hit(
            "unknown-name",
            event.node,
            f"{who} has given {event.facts['name']} a value",
            f"give {event.facts['name']} a value on every process before this line",
        )


def alone(case: Case) -> Iterator[Hit]:
    """torch.distributed beside an Accelerator: it fails on one process."""
    if any(it.facts.get("what") == "init_process_group" for it in case.trace.of("by hand")):
        return
    for event in case.of("by hand"):
        guarded = any(it.kind in ("several", "if", "ranks") for it in event.inside) or not case.trains(
            event.root
        )
        call = event.node
        grouped = isinstance(call, ast.Call) and any(it.arg == "group" for it in call.keywords)
        if event.facts["what"] == "collective" and not guarded and not grouped:
            yield Hit(
                "not-a-process-group",
                event.node,
                f"{source(_function(event.node))} fails where there is only one process",
                "use accelerator.gather or reduce: they also work on one process",
            )


def _function(node: ast.AST) -> ast.AST:
    return node.func if isinstance(node, ast.Call) else node


RULES = (collectives, evaluation, steps, early_ends, uneven, half_bound, alone)
