"""Moves between devices that the student's own lines make.

Only the direct caller counts: looking further up would blame the student for moves inside a library.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch

from looplift.evidence.recorder import Recorder
from looplift.evidence.spies.patch import Patches

try:  # here, so that it is imported once before any fork: it takes a second, and a run would pay for it each time
    from transformers import BatchEncoding
except ImportError:
    BatchEncoding = None  # type: ignore[assignment, misc]


def _target(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The device argument of a `.to`, or None when only a dtype or layout is changed."""
    for it in (*args[:1], kwargs.get("device")):
        if isinstance(it, (torch.device, str, int)) and not isinstance(it, bool):
            return it
    return None


def _caller(recorder: Recorder, self: Any) -> list[Any] | None:
    """[compile name, line] when the student's own line moves `self`, be it through a `to` that its class overrides."""
    frame = sys._getframe(2)
    while (
        frame.f_back is not None
        and frame.f_code.co_name in ("to", "cuda")
        and frame.f_locals.get("self") is self
    ):
        frame = frame.f_back
    return [frame.f_code.co_filename, frame.f_lineno] if frame.f_code.co_filename in recorder.names else None


def watch(recorder: Recorder, patches: Patches) -> None:
    def note(self: Any, target: Any, where: list[Any]) -> None:
        if isinstance(self, torch.nn.Module):
            what = recorder.role(self)
        else:
            what = "batch" if not isinstance(self, torch.Tensor) or id(self) in recorder.drawn else "tensor"
        by_accelerator = any(target is device for device in recorder.accelerator_devices)
        recorder.note("move", what=what, to=str(target), by_accelerator=by_accelerator, where=where)

    def make_to(original: Callable[..., Any]) -> Callable[..., Any]:
        def to(self: Any, *args: Any, **kwargs: Any) -> Any:
            where = _caller(recorder, self)
            if where is not None:
                target = _target(args, kwargs)
                if target is not None:
                    note(self, target, where)
            return original(self, *args, **kwargs)

        return to

    def make_cuda(original: Callable[..., Any]) -> Callable[..., Any]:
        def cuda(self: Any, *args: Any, **kwargs: Any) -> Any:
            where = _caller(recorder, self)
            if where is not None:
                note(self, "cuda", where)
            return original(self, *args, **kwargs)

        return cuda

    owners: list[Any] = [torch.Tensor, torch.nn.Module]
    if BatchEncoding is not None:
        owners.append(BatchEncoding)
    for owner in owners:
        patches.wrap(owner, "to", make_to)
        patches.wrap(owner, "cuda", make_cuda)
