"""Where the Accelerator is made."""

from __future__ import annotations

import ast

from looplift.checks.endings import trained
from looplift.checks.lines import definition, inside_function, mention, top_level_call
from looplift.checks.points import Mend
from looplift.evidence import Run
from looplift.submission import Submission
from looplift.verdict import Finding, Place


def outside_place(submission: Submission) -> Place | None:
    """The first line outside every function that makes an Accelerator or touches its state."""
    for cell in submission.written:
        for statement in cell.tree.body if cell.tree else []:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            for node in ast.walk(statement):
                if isinstance(node, ast.Call):
                    name = (
                        node.func.attr
                        if isinstance(node.func, ast.Attribute)
                        else getattr(node.func, "id", "")
                    )
                    if name in ("Accelerator", "PartialState", "AcceleratorState"):
                        return submission.place_of(cell, node)
    return None


def outside(run: Run) -> Finding | None:
    """The finding when an Accelerator exists before the launch, else None."""
    made = run.first("accelerator", phase="load")
    refused = run.first("launch error")
    poisoned = run.first("state before launch")
    by_launcher = refused is not None and "should only be initialized inside" in str(refused["text"])
    if made is None and poisoned is None and not by_launcher:
        return None
    where = run.place(made["where"]) if made else outside_place(run.submission)
    if where is None and poisoned is not None:
        return Finding(
            "accelerator-outside",
            "an Accelerator already exists in this notebook, left by an earlier cell or a launch on one process",
            expected="no Accelerator before the launch",
            so="notebook_launcher cannot start two processes from it",
            next="restart the kernel, run the cells in order, and make the Accelerator only inside training_loop",
        )
    call = top_level_call(run.submission, run.plan.function)
    if call is not None and where is not None and inside_function(run.submission, where):
        return called(run, *call)
    return Finding(
        "accelerator-outside",
        "the Accelerator is made outside training_loop",
        expected="Accelerator() as one of the first lines inside training_loop",
        so="it belongs to the notebook's own process and notebook_launcher refuses to start two others",
        where=where,
        next="move `accelerator = Accelerator()` into training_loop, then restart the kernel",
    )


def called(run: Run, where: Place | None, launched: bool) -> Finding:
    """The function was called by a cell, where only the launcher may call it."""
    name = run.plan.function
    return Finding(
        "called-before-launch",
        f"{name} is called by a cell of the notebook"
        + (", and only its result is launched" if launched else ""),
        expected=f"notebook_launcher({name}, args, num_processes=2) and no other call",
        so="it runs in the notebook's own process, which then holds an Accelerator and cannot start two others",
        where=where,
        next=f"pass the function without calling it: notebook_launcher({name}, args, num_processes=2)"
        if launched
        else "take the call out and restart the kernel; the launch cell runs the function",
    )


def solo(run: Run) -> Finding | None:
    """The finding when every process thinks that it is alone, else None."""
    made = list(run.of("accelerator", phase="loop"))
    if run.plan.processes < 2 or not made or any(it["processes"] == run.plan.processes for it in made):
        return None
    return Finding(
        "two-solo-trainings",
        f"{run.plan.processes} processes were launched, but the Accelerator in each sees only one process",
        expected=f"accelerator.num_processes == {run.plan.processes}",
        so="the whole training ran twice, each time alone, and nothing was shared",
        where=mention(run.submission, "ACCELERATE_USE_CPU") or run.place(made[0]["where"]),
        next="without a GPU, keep ACCELERATE_USE_CPU=yes set (run the setup cell, and do not change the variable or "
        "touch PartialState before Accelerator())",
    )


def missing(run: Run) -> Finding:
    """The finding on a function that makes no Accelerator."""
    return Finding(
        "no-accelerator",
        "training_loop never makes an Accelerator",
        expected="`accelerator = Accelerator()` inside training_loop",
        so="each process trains on its own and knows nothing of the other",
        where=definition(run.submission, run.plan.function),
        next="make one at the start of training_loop",
    )


def one_accelerator(run: Run) -> None:
    """An Accelerator is made, inside the function, and sees every process. Raises Mend otherwise."""
    found = outside(run)
    if found:
        raise Mend(found)
    if run.first("accelerator", rank=0) is None:
        trained(run)
        raise Mend(missing(run))
    alone = solo(run)
    if alone:
        raise Mend(alone)
    trained(run)
