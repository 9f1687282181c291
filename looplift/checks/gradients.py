"""The gradients with which the optimizer stepped.

A gradient is one number, a random linear function of it (see evidence.spies.gradients). Adam divides by the size of
the gradient, so weights alone would not show a loss that is scaled.
"""

from __future__ import annotations

from looplift.evidence import Run
from looplift.verdict import Finding, Place

SHARED = 1e-6  # relative difference of a gradient and what it should be
LARGEST_FACTOR = (
    64  # whole factors up to here, or one over them, are scaled gradients; others come of another loss
)


def backward_place(run: Run) -> Place | None:
    """The line that calls backward."""
    event = next((it for it in run.of("backward", 0, "loop") if it["where"]), None)
    return run.place(event["where"]) if event else None


def gradients_shared(run: Run) -> Finding | None:
    """The finding when the ranks take a step with different gradients."""
    for index, step in enumerate(run.steps(0)):
        others = [run.steps(rank)[index] for rank in run.ranks if index < len(run.steps(rank))]
        for model, used in step.synchronised.items():
            own = [it.local.get(model, 0.0) for it in others]
            size = max(abs(it) for it in (*own, used)) or 1.0
            together = max(abs(it.synchronised.get(model, 0.0) - used) for it in others)
            if together > SHARED * size:
                return Finding(
                    "gradients-not-shared",
                    "the processes take their optimizer steps with different gradients",
                    expected="the mean of both processes' gradients on each",
                    so="they train two models that drift apart",
                    where=run.place(step.where),
                    next="prepare the model and call what comes back, so that backward averages the gradients",
                    data={"own": own, "used": used},
                )
    return None


def other_model(run: Run) -> Finding | None:
    """The finding when the optimizer does not hold the parameters of the model that is trained."""
    key = str(run.trained_model)
    held = next((step.synchronised for step in run.steps(0)), {})
    if key in held or not held:
        return None
    made = list(run.of("model made", 0)) or list(run.of("model made"))
    index = int(next(iter(held)))
    where = run.place(made[index]["where"]) if index < len(made) else None
    return Finding(
        "optimizer-of-another-model",
        "the weights of the trained model never change: the optimizer holds another model's parameters",
        expected="an optimizer made from the parameters of the model that is called in the loop",
        where=where or run.place(run.steps(0)[0].where),
        next="call make_model once, and make the optimizer from that model's parameters",
    )


def _numbers(run: Run, key: str) -> list[float]:
    return [it.synchronised.get(key, 0.0) for it in run.steps(0)]


def _factor(mine: list[float], theirs: list[float], scale: float) -> float | None:
    """How many times the plain loop's first gradient the run's is, when it is a multiple or a whole fraction of it,
    or the same multiple at every step."""
    if abs(theirs[0]) <= SHARED * scale:
        return None
    ratio = mine[0] / theirs[0]
    for it in (ratio, 1 / ratio if ratio else 0.0):
        if 1 < round(it) <= LARGEST_FACTOR and abs(it - round(it)) <= SHARED * it:
            return ratio
    steady = all(abs(a - ratio * b) <= SHARED * scale for a, b in zip(mine, theirs, strict=True))
    return ratio if steady and len(mine) > 2 else None


def unlike_gradients(run: Run, plain: Run) -> Finding | None:
    """The finding when some step's gradient is not the plain loop's at the same global batch.

    Both runs have the same number of steps. Where learning rates differ too, look at those first.
    """
    mine, theirs = _numbers(run, str(run.trained_model)), _numbers(plain, "0")
    scale = max((abs(it) for it in theirs), default=0.0) or 1.0
    apart = next(
        (i for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if abs(a - b) > SHARED * scale), None
    )
    if apart is None:
        return None
    where = backward_place(run)
    expected = "the gradient of the plain loop at the same global batch, in every step"
    local = run.steps(0)[apart].local.get(str(run.trained_model), 0.0)
    if mine[apart] == 0.0 and abs(local) > SHARED * scale:
        return Finding("gradients-erased", "the optimizer steps without a gradient: it was set to zero after backward",
                       expected, "nothing is learned", run.place(run.steps(0)[apart].where),
                       "call zero_grad before backward or after step, not between the two")  # fmt: skip
    if apart == 1 and abs(mine[1] - mine[0] - theirs[1]) <= SHARED * scale:
        return Finding("gradients-left-over", "the second step still holds the gradient of the first: the gradients "
                       "are not set to zero between batches", expected, "each step adds up all batches before it",
                       where, "call optimizer.zero_grad() once for each batch, before backward")  # fmt: skip
    ratio = _factor(mine, theirs, scale) if apart == 0 else None
    if ratio is not None:
        return Finding("gradient-scaled", f"the gradient is {ratio:.3g} times the plain loop's", expected,
                       "the loss is scaled or added up by hand", where,
                       "pass the plain mean loss of this process's batch to accelerator.backward: the processes' "
                       "gradients are averaged for you", {"ratio": ratio})  # fmt: skip
    if apart > 0:
        return None
    return Finding(
        "other-gradient",
        "the first gradient is not the plain loop's",
        expected,
        "the loss is another one, or the gradient is changed before the step",
        where,
        "compute the loss as the plain loop does, and leave the gradient as backward made it",
    )
