"""The spies: each watches one part of PyTorch or Accelerate and notes what the student's loop does with it.

Class attributes are patched, never classes, so aliases, subclasses and every way to import see the same.
"""

from __future__ import annotations

from looplift.evidence.recorder import Recorder
from looplift.evidence.scratch import Scratch
from looplift.evidence.spies import (
    accelerator,
    gradients,
    loaders,
    moves,
    output,
    precise,
    scaling,
    steps,
    tracking,
)
from looplift.evidence.spies.patch import Patches
from looplift.hidden.plan import Plan


def install(recorder: Recorder, plan: Plan | None = None, scratch: Scratch | None = None) -> Patches:
    """Put every spy in place, for good: the process that calls this belongs to one run.

    scratch: where the loop of a tracked task keeps its files.
    """
    patches = Patches()
    if plan is not None and plan.mixed and plan.dtype == "float64":
        precise.watch(recorder, patches)
    if plan is not None and plan.scaler:
        scaling.watch(recorder, patches)
    for spy in (accelerator, gradients, loaders, moves, output, steps):
        spy.watch(recorder, patches)
    if scratch is not None:
        tracking.watch(recorder, patches, scratch)
    return patches


__all__ = ["Patches", "install"]
