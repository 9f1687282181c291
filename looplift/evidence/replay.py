"""How a reference run moves its scheduler: as a prepared one would on several processes."""

from __future__ import annotations

import functools
import sys
from typing import Any

from torch.optim.lr_scheduler import LRScheduler


def move_schedulers(names: frozenset[str], times: int) -> None:
    """Let each `scheduler.step()` that stands in one of these cells move `times` steps.

    A scheduler with an end stays there, as AcceleratedScheduler leaves it (accelerate.scheduler, special case for
    OneCycleLR).
    """
    original = LRScheduler.step

    @functools.wraps(original)
    def step(self: LRScheduler, *args: Any, **kwargs: Any) -> None:
        if sys._getframe(1).f_code.co_filename not in names:
            original(self, *args, **kwargs)
            return
        end = getattr(self, "total_steps", None)
        for _ in range(times):
            if end is None or self._step_count <= end:
                original(self, *args, **kwargs)

    LRScheduler.step = step  # type: ignore[method-assign]
