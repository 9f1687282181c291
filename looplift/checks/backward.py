"""Backward passes."""

from __future__ import annotations

from looplift.checks.endings import trained
from looplift.checks.points import Mend
from looplift.evidence import Run
from looplift.verdict import Finding


def backward_through_accelerator(run: Run) -> None:
    """Every backward goes through `accelerator.backward`. Raises Mend otherwise."""
    trained(run)
    passes = list(run.of("backward", phase="loop"))
    bare = next((it for it in passes if not it["through"]), None)
    if bare is not None:
        raise Mend(
            Finding(
                "plain-backward",
                "backward is called on the loss itself",
                expected="accelerator.backward(loss)",
                so="the Accelerator cannot scale the loss for mixed precision or gradient accumulation",
                where=run.place(bare["where"]),
                next="write accelerator.backward(loss) instead",
                data={"bare": sum(not it["through"] for it in passes), "all": len(passes)},
            )
        )
    if not passes:
        raise Mend(
            Finding(
                "no-backward",
                "the loop takes optimizer steps but never calls backward",
                expected="accelerator.backward(loss) for every batch",
                so="no gradient is computed and nothing is learned",
                where=run.place(run.steps(0)[0].where),
                next="call accelerator.backward(loss) before optimizer.step()",
            )
        )
