"""Several networks with an optimizer each: all of them prepared, all of them trained, each as the plain loop does."""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.accumulation import first_apart
from looplift.checks.endings import complete, trained
from looplift.checks.gradients import gradients_shared
from looplift.checks.lines import result_dropped
from looplift.checks.passes import loop_place, steps_of
from looplift.checks.points import Mend, on_one_process
from looplift.checks.prepare import prepared
from looplift.checks.rows import as_planned, global_batches
from looplift.checks.training import SAME, difference
from looplift.evidence import Evidence, Run, Step
from looplift.evidence.run import Event
from looplift.verdict import Finding


def networks_prepared(run: Run) -> None:
    """Every network, every optimizer and the train loader went through prepare, and what came back is used.

    Raises Mend at the first that was not.
    """
    trained(run)
    alone = solo(run)
    if alone:
        raise Mend(alone)
    for index, name in enumerate(run.plan.networks):
        found = _unprepared_network(run, index, name) or _unprepared_optimizer(run, index, name)
        if found:
            raise Mend(found)
    prepared(run, "train_loader")


def _around(run: Run, index: int) -> Event | None:
    """The first forward pass of a network with gradients that went around its wrapper."""
    count = len(run.plan.networks)
    return next(
        (
            it
            for it in run.of("forward", phase="loop")
            if int(it["model"]) % count == index and it["grad"] and not it["wrapped"]
        ),
        None,
    )


def _called(role: str, name: str) -> bool:
    """Whether a role is the network of this name, or another one made by the same factory: `generator 2`."""
    return role == name or (role.startswith(f"{name} ") and role[len(name) + 1 :].isdigit())


def _unprepared_network(run: Run, index: int, name: str) -> Finding | None:
    call = run.first("prepare", phase="loop") or run.first("prepare")
    passed = next((it for it in run.of("prepared") if _called(it["role"], name)), None)
    if passed is None:
        return Finding(
            "unprepared-model",
            f"the {name} was not passed to prepare" if call else "accelerator.prepare is never called",
            expected=f"the {name} among the arguments of accelerator.prepare",
            so=f"each process trains a {name} of its own; its gradients are never averaged",
            where=run.place(call["where"]) if call else None,
            next=f"prepare the {name} too, and call what comes back",
            data={"role": name},
        )
    around = _around(run, index) if run.plan.processes > 1 else None
    if around is None:
        return None
    place = run.place(passed["where"])
    dropped = place if place and result_dropped(run.submission, place) else None
    return Finding(
        "prepared-model-unused",
        f"the {name} was prepared, but the loop goes around what came back",
        expected=f"the loop to call what prepare returned for the {name}",
        so=f"the gradients of the {name} are never averaged",
        where=dropped or run.place(around["where"]),
        next="assign the results of prepare to the names that the loop uses, and call those",
    )


def _unprepared_optimizer(run: Run, index: int, name: str) -> Finding | None:
    step = next((it for it in steps_of(run, index) if not it.through), None)
    if step is None:
        return None
    return Finding(
        "unprepared-optimizer",
        f"the optimizer of the {name} was not passed to prepare",
        expected=f"both optimizers among the arguments of accelerator.prepare, the {name}'s too",
        so="it steps whatever the Accelerator decides: with accumulation or mixed precision it would be wrong",
        where=run.place(step.where),
        next=f"prepare the optimizer of the {name} too, and step what comes back",
    )


def both_step(run: Run) -> Finding | None:
    """The finding when a network never steps, or one steps more often than another."""
    names = run.plan.networks
    counts = [len(steps_of(run, index)) for index in range(len(names))]
    for name, count in zip(names, counts, strict=True):
        if not count:
            return Finding(
                "network-never-steps",
                f"the {name} never takes a step",
                expected="a step of each network for every batch",
                so=f"its weights stay as they were made, and the others train against a {name} that learns nothing",
                where=loop_place(run) or run.place(run.steps(0)[0].where),
                next=f"make an optimizer from the parameters of the {name}, and step it for every batch",
            )
    if len(set(counts)) > 1:
        said = " and ".join(f"the {name} {count}" for name, count in zip(names, counts, strict=True))
        more = counts.index(max(counts))
        return Finding(
            "networks-step-unevenly",
            f"of the steps, {said} are taken",
            expected="one step of each network for every batch, as in the plain loop",
            where=run.place(steps_of(run, more)[0].where),
            next="step each optimizer once for each batch, and leave none out",
        )
    return None


def networks_trained(run: Run, evidence: Evidence) -> None:
    """Every network ends with one set of weights, the plain loop's at the same global batch. Raises Mend if not."""
    with on_one_process(run.plan.processes):
        complete(run)
        found = solo(run) or both_step(run) or as_planned(run)
        found = found or (gradients_shared(run) if run.plan.processes > 1 else None)
        if found:
            raise Mend(found)
        plain = evidence.reference(global_batches(run), 1)
        for index, name in _in_order(run, plain):
            found = _unlike(run, plain, index, name)
            if found:
                raise Mend(found)


def _in_order(run: Run, plain: Run) -> list[tuple[int, str]]:
    """(place, name) of the networks; first the one whose gradient goes another way first, as it leads the others."""
    names = run.plan.networks
    turns = [plain.steps(0).index(steps_of(plain, index)[0]) for index in range(len(names))]

    def apart(index: int) -> tuple[float, int]:
        at = first_apart(_numbers(steps_of(run, index)), _numbers(steps_of(plain, index)))
        return (float("inf") if at is None else at, turns[index])

    return sorted(enumerate(names), key=lambda it: apart(it[0]))


def _numbers(steps: list[Step]) -> list[float]:
    return [next(iter(step.synchronised.values())) for step in steps]


def _unlike(run: Run, plain: Run, index: int, name: str) -> Finding | None:
    """Why a network is not trained as in the plain loop; None when it is."""
    steps = steps_of(run, index)
    mine, theirs = _numbers(steps), _numbers(steps_of(plain, index))
    expected = f"the gradient that the {name} has in the plain loop at the same global batch, in every step"
    apart = first_apart(mine, theirs)
    if apart is not None:
        where = run.place(steps[apart].where)
        if _left_over(run, index):
            return Finding(
                "gradients-left-over",
                f"the {name} steps with gradients of another network's backward in it",
                expected,
                f"a backward for one network leaves gradients in the {name} too",
                where,
                f"call zero_grad of the {name}'s optimizer right before the backward passes that are meant for it",
            )
        if apart == 0 and theirs[0] and abs(mine[0]) <= 1e-12 * abs(theirs[0]):
            return Finding(
                "gradient-cut-off",
                f"the {name} steps without a gradient",
                expected,
                "what it made was detached before the backward that is meant for it",
                where,
                f"detach what the {name} made only where another network learns from it",
            )
        return Finding(
            "other-gradient",
            f"the gradient of the {name} in step {apart + 1} is not the plain loop's",
            expected,
            "its loss is another one, or the steps of the networks come in another order",
            where,
            "compare with the plain loop line by line: the labels of real and made rows, the order of the steps, "
            "what is detached",
        )
    weights = [_weights(run, index, rank) for rank in run.ranks]
    wanted = _weights(plain, index, 0)
    size = max(difference(it, wanted) for it in weights)
    if size <= SAME:
        return None
    return Finding(
        "weights-differ",
        f"the weights of the {name} end {size:.1g} away from the plain loop's",
        "the weights of the plain loop at the same global batch",
        where=run.place(steps[0].where),
        next="compare with the plain loop line by line: the same optimizer and its settings",
    )


def _weights(run: Run, index: int, rank: int) -> dict:  # type: ignore[type-arg]
    """The final weights of a network: of the one that was stepped, should several have been made."""
    keys = [int(key) for step in steps_of(run, index, rank) for key in step.synchronised]
    return run.weights(rank, keys[-1]) or {}


def _left_over(run: Run, index: int) -> bool:
    """Whether some backward came between the step of another network and this one's without a zero_grad between."""
    count, dirty = len(run.plan.networks), False
    for event in (it for it in run.events if it.get("rank") == 0):
        if event["kind"] == "cleared" and index in [int(key) % count for key in event.get("networks", ())]:
            dirty = False
        elif event["kind"] == "step":
            moved = [int(key) % count for key in event["gradients"]]
            if index in moved and dirty:
                return True
            dirty = dirty or index not in moved
    return False
