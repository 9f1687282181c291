"""What goes through `prepare`, and whether what comes back is used."""

from __future__ import annotations

import ast

from looplift.checks.accelerators import solo
from looplift.checks.endings import trained
from looplift.checks.lines import result_dropped
from looplift.checks.points import Mend
from looplift.evidence import Run
from looplift.verdict import Finding

NAMES = {
    "model": "the model",
    "optimizer": "the optimizer",
    "scheduler": "the scheduler",
    "train_loader": "the train loader",
    "eval_loader": "the evaluation loader",
}
NEXT = {
    "model": "prepare the model too, and call what comes back",
    "optimizer": "prepare the optimizer too, and step what comes back",
    "scheduler": "prepare the scheduler too, and step what comes back",
    "train_loader": "prepare the loader too, and loop over what comes back",
    "eval_loader": "prepare the evaluation loader too, and loop over what comes back",
}


def kind(role: str) -> str:
    """The id of the mistake for a role."""
    return f"unprepared-{'loader' if role == 'train_loader' else role.replace('_', '-')}"


def _consequence(run: Run, role: str) -> str:
    sizes, count = run.plan.sizes, run.plan.processes
    if role == "train_loader":
        share = -(-sizes.train_rows // count)
        return f"each process reads all {sizes.train_rows} rows of an epoch, not about {share}"
    if role == "model":
        return "each process trains a model of its own; the gradients are never averaged"
    if role == "optimizer":
        return "it steps whatever the Accelerator decides: with accumulation or mixed precision it would be wrong"
    if role == "scheduler":
        return "it does not know how many processes there are"
    return f"each process evaluates all {sizes.eval_rows} rows"


def _listed(run: Run) -> Finding | None:
    """prepare([model, optimizer]) gives the list back as it was."""
    for event in run.of("prepare"):
        if any(role in ("list", "tuple", "dict") for role in event["roles"]):
            return Finding(
                "prepare-got-a-list",
                "prepare was given a list",
                expected="the objects one by one: prepare(model, optimizer, train_loader)",
                so="it comes back as it was, with nothing prepared, and no error is raised",
                where=run.place(event["where"]),
                next="take the brackets away, or write a * before the list",
            )
    return None


def use_around(run: Run, role: str) -> dict | None:  # type: ignore[type-arg]
    """The first event in which the unprepared object was used for training, or None."""
    if role == "model":
        # On one process prepare gives the same object back.
        return _forward_around(run) if run.plan.processes > 1 else None
    if role == "optimizer":
        return run.first("step", through=False, phase="loop")
    if role == "scheduler":
        return next(
            (it for it in run.of("schedule", phase="loop") if not it["through"] and it["where"]), None
        )
    part = "train" if role == "train_loader" else "eval"
    trained_from = {
        (rank, batch.iteration) for rank in run.ranks for step in run.steps(rank) for batch in step.batches
    }
    for batch in run.of("batch", phase="loop"):
        used = (batch["rank"], batch["iteration"]) in trained_from or part == "eval"
        if batch["part"] == part and not batch["prepared"] and used:
            return run.first("iteration", batch["rank"], number=batch["iteration"])
    return None


def _forward_around(run: Run) -> dict | None:  # type: ignore[type-arg]
    """The first forward pass that fed a backward and did not go through the wrapper. A look at the plain model before
    prepare is none."""
    last: dict[int, dict] = {}  # type: ignore[type-arg]
    for event in run.events:
        if event["kind"] == "forward" and event["grad"] and event["model"] == run.trained_model:
            last[event["rank"]] = event
        elif event["kind"] == "backward" and event["rank"] in last and not last[event["rank"]]["wrapped"]:
            return last[event["rank"]]
    return None


def unprepared(run: Run, role: str) -> Finding | None:
    """The finding when an object was not prepared, or was and what came back is not used."""
    called = f"model {run.trained_model + 1}" if role == "model" and run.trained_model else role
    passed = any(it["role"] == called for it in run.of("prepared"))
    if role == "train_loader" and not passed:
        # Whatever it holds, all that was trained from came from a prepared loader.
        numbers = {batch.iteration for step in run.steps(0) for batch in step.batches}
        passed = bool(numbers) and all(
            it["prepared"] for it in run.of("iteration", 0) if it["number"] in numbers
        )
    used = use_around(run, role)
    if passed and used is None:
        return None
    name = NAMES.get(role, role)
    if passed and used is not None:
        around = role == "model" and _unwrapped(run, used["where"])
        event = run.first("prepared", role=called)
        call_at = run.place(event["where"]) if event else None
        dropped = call_at if call_at and result_dropped(run.submission, call_at) else None
        return Finding(
            "around-the-wrapper"
            if around
            else f"prepared-{'loader' if role == 'train_loader' else role}-unused",
            f"{name} was prepared, but the loop goes around what came back",
            expected=f"the loop to use what prepare returned for {name}",
            so=_consequence(run, role),
            where=dropped or run.place(used["where"]),
            next="call the prepared model itself, not .module or unwrap_model, in the forward pass of training"
            if around
            else f"assign the result of prepare: ... = accelerator.prepare(...); {NEXT[role].split(', and ')[-1]}",
        )
    listed = _listed(run)
    if listed:
        return listed
    call = run.first("prepare")
    return Finding(
        kind(role),
        f"{name} was not passed to prepare" if call else "accelerator.prepare is never called",
        expected=f"{name} among the arguments of accelerator.prepare",
        so=_consequence(run, role),
        where=run.place(used["where"] if used else call["where"] if call else None),
        next=NEXT.get(role, "prepare it too"),
        data={"role": role},
    )


def _unwraps(node: ast.AST) -> bool:
    """`.module` or `unwrap_model` stands somewhere in the expression."""
    names = (it.attr if isinstance(it, ast.Attribute) else getattr(it, "id", "") for it in ast.walk(node))
    return any(name in ("module", "unwrap_model") for name in names)


def _unwrapped(run: Run, where: list | None) -> bool:  # type: ignore[type-arg]
    """The line that calls the model unwraps it, or calls a name to which the unwrapped model was assigned."""
    if not where:
        return False
    nodes = list(run.submission.nodes())
    names = {
        target.id
        for _, node in nodes
        if isinstance(node, ast.Assign) and _unwraps(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    calls = (
        node.func
        for cell, node in nodes
        if isinstance(node, ast.Call)
        and cell.name == where[0]
        and node.lineno <= where[1] <= (node.end_lineno or node.lineno)
    )
    return any(_unwraps(it) or (isinstance(it, ast.Name) and it.id in names) for it in calls)


def prepared(run: Run, *roles: str) -> None:
    """Each of the roles was prepared, in one call or several, and the loop uses what came back.

    Raises Mend at the first role that was not.
    """
    trained(run)
    alone = solo(run)
    if alone:
        raise Mend(alone)
    for role in roles:
        found = unprepared(run, role)
        if found:
            raise Mend(found)
