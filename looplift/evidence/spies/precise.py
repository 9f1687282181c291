"""Casts to fewer bits, in a run in float64 of an exercise about mixed precision: they keep all bits.

Autocast leaves float64 alone, so such a run shows the training itself, to the last digit; what a precision does to the
numbers shows in the run in float32. A cast by hand (`logits.float()`, a frozen network in bfloat16) would round where
autocast does not, and right loops would end at slightly different weights.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch

from looplift.evidence.recorder import Recorder
from looplift.evidence.spies.patch import Patches

FEWER = (torch.float32, torch.float16, torch.bfloat16)
_SCALER = torch.amp.grad_scaler.__file__
_NAMES = {f"torch.{kind}Tensor" for kind in ("Float", "Half", "BFloat16")}


def _kept(value: Any) -> Any:
    """An argument of a cast, with float64 in the place of fewer bits."""
    if isinstance(value, torch.dtype) and value in FEWER:
        return torch.float64
    if isinstance(value, str) and value in _NAMES:
        return torch.float64
    return value


def _by_a_scaler() -> bool:
    """Whether PyTorch's own gradient scaler casts: its scale has to be float32."""
    return sys._getframe(2).f_code.co_filename == _SCALER


def watch(recorder: Recorder, patches: Patches) -> None:
    def make_cast(original: Callable[..., Any]) -> Callable[..., Any]:
        def cast(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            if self.dtype != torch.float64 or _by_a_scaler():
                return original(self, *args, **kwargs)
            like = args[0] if args else kwargs.get("other")
            if isinstance(like, torch.Tensor) and like.dtype in FEWER:  # `.to(other)`: its device only
                return original(self, like.device, torch.float64)
            kept = {name: _kept(it) for name, it in kwargs.items()}
            return original(self, *(_kept(it) for it in args), **kept)

        return cast

    def make_short(original: Callable[..., Any]) -> Callable[..., Any]:
        def short(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            kept = self.dtype == torch.float64 and not _by_a_scaler()
            return self if kept else original(self, *args, **kwargs)

        return short

    for name in ("to", "type"):
        patches.wrap(torch.Tensor, name, make_cast)
    for name in ("float", "half", "bfloat16"):
        patches.wrap(torch.Tensor, name, make_short)
