"""The submission's own call of notebook_launcher, and what came of it."""

from __future__ import annotations

import re
from typing import Any

from looplift.checks.accelerators import called, outside, solo
from looplift.checks.endings import ending, trained
from looplift.checks.errors import explain
from looplift.checks.lines import top_level_call
from looplift.checks.points import Mend
from looplift.checks.results import gpu_touched, result_expected
from looplift.evidence import Evidence, Run
from looplift.verdict import Finding

_UNFIT = r"\w+\(\) (takes|missing|got)|argument after \*"


def launched(run: Run, evidence: Evidence) -> None:
    """The submission's own line starts the function in every process that was asked for. Raises Mend otherwise.

    run: what `evidence.launch()` gives. A loop that begins on every process may fail afterwards: other checks say why.
    """
    found = outside(run)
    if found:
        raise Mend(found)
    call = _call(run)
    if call is None:
        raise Mend(_never(run, evidence))
    found = _passed(run, call) or _counted(run, call) or _unfit(run, call) or solo(run) or gpu_touched(run)
    if found:
        raise Mend(found)
    _begun(run)
    found = _swapped(run, call) or result_expected(run, call)
    if found:
        raise Mend(found)


def _call(run: Run) -> dict[str, Any] | None:
    """The launch that was really made: the first one about the lesson's function, else the last of all."""
    calls = list(run.of("launch", phase="load"))
    return next((it for it in calls if it.get("mine")), calls[-1] if calls else None)


def _never(run: Run, evidence: Evidence) -> Finding:
    """Nothing was launched: an empty stub, an error in a cell, or no call."""
    name = run.plan.function
    two = evidence.on(processes=run.plan.processes)
    if not two.ranks or any(it["error"] == "NotImplementedError" for it in two.of("raised")):
        found = ending(two)
        if found is not None:
            return found
    errors = [it for it in run.of("load error") if it["error"] != "NotImplementedError"]
    if errors:
        return explain(errors[-1], run)
    return Finding(
        "not-launched",
        f"{name} is never launched: no cell calls notebook_launcher",
        expected=f"notebook_launcher({name}, args, num_processes={run.plan.processes}) in the launch cell",
        so="the notebook defines a function, and nothing trains",
        next=f"write args, a tuple of {run.plan.signature}, and the call into the launch cell, and run it",
    )


def _passed(run: Run, call: dict[str, Any]) -> Finding | None:
    """The finding when the launcher got no function."""
    if call["callable"]:
        return None
    found = top_level_call(run.submission, run.plan.function)
    return called(run, found[0] if found else run.place(call["where"]), launched=True)


def _counted(run: Run, call: dict[str, Any]) -> Finding | None:
    """The finding when another number of processes is started than the exercise asks for."""
    wanted, got = run.plan.processes, call["processes"]
    if got == wanted:
        return None
    refused = run.first("launch error")
    where = run.place(call["where"])
    expected = f"num_processes={wanted}"
    if got is None and (refused is None or "number of devices" not in str(refused["text"])):
        return explain(refused, run) if refused else None
    if got is None:
        return Finding(
            "no-num-processes",
            "notebook_launcher is not told how many processes to start",
            expected,
            "it refuses: outside of hosted notebooks it doesn't choose a number",
            where,
            f"add num_processes={wanted}",
        )
    return Finding(
        "other-process-count",
        f"the training is launched on {got} process{'' if got == 1 else 'es'}",
        expected,
        "nothing is shared: it runs in the notebook's own process, whose Accelerator then forbids any larger launch"
        if got == 1
        else f"the batch of a step is {got} times the one that was asked for, not {wanted} times",
        where,
        f"write num_processes={wanted}, and restart the kernel"
        if got == 1
        else f"write num_processes={wanted}",
    )


def _unfit(run: Run, call: dict[str, Any]) -> Finding | None:
    """The finding when what the launcher passes on is not what the function takes."""
    refused = run.first("launch error")
    raised = next(run.of("raised"), None)
    text = str((raised or refused or {"text": ""})["text"]).split("\n")[0]
    no_tuple = call["args_type"] not in ("tuple", "list")
    no_call = (raised or refused or {}).get("error") == "TypeError" and re.search(_UNFIT, text)
    at_call = raised is None or raised["where"] is None
    precision = raised is not None and "mixed_precision" in text and not run.first("loaders made", 0)
    if not (no_call and at_call) and not precision and not (no_tuple and (raised or refused)):
        return None
    name, signature, shown = run.plan.function, run.plan.signature, call["args"][:60]
    if no_tuple:
        saw = f"args is {_article(call['args_type'])}, {shown}, not a tuple: it is unpacked, item by item"
        following = (
            f"write a tuple with one value for each of {signature}; one alone still needs its comma: (value,)"
        )
    else:
        saw = f"args holds {shown}, and {name} takes {signature} ({text})"
        following = (
            "let args hold one value for each parameter, in their order: no index of a process comes first"
        )
    return Finding(
        "called-with-arguments",
        saw,
        f"a tuple with {signature}",
        "the function never began",
        run.place(call["where"]),
        following,
    )


def _article(word: str) -> str:
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def _swapped(run: Run, call: dict[str, Any]) -> Finding | None:
    """The finding when seed and batch size of the exercise stand in each other's place."""
    made = run.first("loaders made", 0)
    if made is None or made["batch_size"] != SEED or not re.search(rf"\b{BATCH}, {SEED}\b", call["args"]):
        return None
    return Finding(
        "called-with-arguments",
        f"args is {call['args'][:60]}: seed and batch size stand in each other's place",
        f"a tuple with {run.plan.signature}, in this order",
        f"each process trains on batches of {SEED} rows, with the seed {BATCH}",
        run.place(call["where"]),
        f"write them in the order of the parameters: {run.plan.signature}",
    )


SEED, BATCH = 42, 16  # the exercise's own


def _begun(run: Run) -> None:
    """Every process began to train. Raises Mend with the reason when not."""
    stub = next(
        (it for it in run.of("raised") if it["error"] == "NotImplementedError" and not it["text"]), None
    )
    if stub is not None:
        raise Mend(explain(stub, run))
    for rank in range(run.plan.processes):
        began = any(run.first(kind, rank) for kind in ("accelerator", "loaders made", "model made", "raised"))
        if not began:
            trained(run)
