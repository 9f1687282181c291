"""What wraps the student's function in each rank: notes how it began and ended, whatever happens between."""

from __future__ import annotations

import faulthandler
import os
import random
import signal
from collections.abc import Callable
from typing import Any

import numpy
import torch

from looplift.evidence.integrity import Integrity
from looplift.evidence.recorder import Recorder
from looplift.evidence.session import die_with_parent
from looplift.evidence.spies.output import Listener, listen
from looplift.evidence.stage import describe
from looplift.hidden.plan import Plan

LONGEST = 1000  # characters of a returned text that are kept


def plain_value(value: Any, depth: int = 0) -> Any:
    """A returned value as JSON: numbers as they are, tensors of one element as numbers, the rest by its type."""
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        return value.detach().item()
    if isinstance(value, str):
        return value[:LONGEST]
    if isinstance(value, int) and abs(value) >= 2**63:
        return f"<{type(value).__name__}>"  # JSON readers refuse numbers of thousands of digits
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return plain_value(value.item(), depth + 1) if depth < 3 else f"<{type(value).__name__}>"
    if isinstance(value, (list, tuple)) and depth < 3:
        return [plain_value(it, depth + 1) for it in value[:100]]
    if isinstance(value, dict) and depth < 3:
        return {str(key)[:LONGEST]: plain_value(it, depth + 1) for key, it in list(value.items())[:100]}
    return f"<{type(value).__name__}>"


def held_by(function: Callable[..., Any]) -> dict[str, tuple[int, int]]:
    """What the names of the function's notebook hold: identities, and how many items are in a list, dict or set.

    What is other after the function stays behind in its process: the notebook never sees it.
    """
    names = getattr(getattr(function, "__func__", function), "__globals__", {})
    return {
        name: (id(it), len(it) if isinstance(it, (list, dict, set)) else 0)
        for name, it in list(names.items())
        if not name.startswith("_")
    }


def in_rank(
    function: Callable[..., Any], recorder: Recorder, integrity: Integrity, plan: Plan
) -> Callable[..., None]:
    """The function as a rank runs it. Returns None always: the launcher drops results anyway."""

    def run(*args: Any) -> None:
        # Elastic leaves a handler for SIGTERM that never runs while a rank waits in C: measured 30 s instead of 0.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if plan.processes > 1:
            die_with_parent()
        recorder.enter_rank()
        rank = recorder.rank or 0
        stacks = open(recorder.folder / f"stack-{rank}.txt", "w")  # noqa: SIM115 - open as long as the rank lives
        recorder.keep(stacks)
        faulthandler.register(signal.SIGUSR1, file=stacks, all_threads=True)
        # A fork copies torch's and numpy's random state, which would hide a forgotten seed.
        for seed in (random.seed, numpy.random.seed, torch.manual_seed):
            seed((plan.sizes.seed + 7919 * (rank + 1)) % 2**32)
        listen(recorder)
        recorder.note("rank", world=int(os.environ.get("WORLD_SIZE", "1")))
        before = held_by(function) if plan.own_launch else {}
        try:
            value = function(*args)
        except BaseException as error:
            recorder.note("raised", **describe(error, recorder))
            finish(recorder, integrity)
            raise
        after = held_by(function) if plan.own_launch else {}
        if names := sorted(name for name, it in after.items() if before.get(name, it) != it):
            recorder.note("left behind", names=names)
        recorder.note("returned", value=plain_value(value))
        finish(recorder, integrity)

    return run


def finish(recorder: Recorder, integrity: Integrity) -> None:
    import sys

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Listener):
            stream.close_line()
    recorder.save_weights()
    recorder.note("done", tampered=integrity.broken())
