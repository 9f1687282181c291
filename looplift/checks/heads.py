"""Whether the body of the model stayed as it was, and its head was trained."""

from __future__ import annotations

from looplift.checks.endings import complete
from looplift.checks.points import Mend
from looplift.evidence import Evidence, Run
from looplift.verdict import Finding, Place


def head_only(run: Run, evidence: Evidence) -> None:
    """The frozen parameters of the task end as they began, all others have moved. Raises Mend otherwise.

    How that is done is free: requires_grad, or an optimizer that holds the head only.
    """
    import torch

    complete(run)
    frozen = evidence.task.frozen
    assert frozen, "this lesson's hidden task trains everything"
    torch.set_default_dtype(torch.float64)
    first = evidence.task.make_model(evidence.sizes).state_dict()
    last = run.weights(0) or {}
    moved = {name: name in last and not torch.equal(first[name], last[name]) for name in first}
    body = [name for name, it in moved.items() if it and name.startswith(frozen)]
    still = [name for name, it in moved.items() if not it and not name.startswith(frozen)]
    part = frozen.rstrip(".")
    if body:
        raise Mend(
            Finding(
                "body-not-frozen",
                f"the body is trained too: {_some(body)} {'have' if len(body) > 1 else 'has'} changed",
                expected=f"model.{part} as it was, and everything else trained",
                so="a step costs far more, and what the body knew before is lost",
                where=_made(run),
                next=f"set requires_grad = False on every parameter of model.{part}, before prepare; on the module "
                "itself the attribute does nothing",
            )
        )
    if still:
        raise Mend(
            Finding(
                "head-not-trained",
                f"a part of the head is never trained: {_some(still)}",
                expected=f"every parameter trained that does not belong to model.{part}",
                so="it stays what chance made of it",
                where=_made(run),
                next=f"freeze the parameters of model.{part} only, and give the optimizer all that is left",
            )
        )


def _some(names: list[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def _made(run: Run) -> Place | None:
    event = run.first("model made", 0)
    return run.place(event["where"]) if event else None
