"""A real gradient scaler where a machine has no GPU.

Under fp16 on a GPU an Accelerator holds a `GradScaler`; on a CPU it has none, and no mistake with it shows. PyTorch's
scaler works on a CPU too. So an Accelerator that was asked for mixed precision is given one, and Accelerate's own code
does the rest: its backward scales, its clipping unscales, its optimizer steps through the scaler. The scale is a power
of two and the run is in float64, so that right loops take the very steps that they take without a scaler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

from looplift.evidence.recorder import Recorder
from looplift.evidence.spies.patch import Patches

SCALE = 2.0**16  # PyTorch's own first scale


def watch(recorder: Recorder, patches: Patches) -> None:
    asked: list[str] = []

    def make_init(original: Callable[..., Any]) -> Callable[..., Any]:
        def init(self: Accelerator, *args: Any, **kwargs: Any) -> None:
            state = AcceleratorState._shared_state
            if asked and "_mixed_precision" in state:
                state["_mixed_precision"] = asked[0]  # a second Accelerator may be asked for the same again
            original(self, *args, **kwargs)
            if self.mixed_precision in ("bf16", "fp16"):
                asked.append(str(self.mixed_precision))
                state["_mixed_precision"] = "fp16"
                self.native_amp = True
                self.scaler = torch.amp.GradScaler("cpu", init_scale=SCALE)  # type: ignore[attr-defined]

        return init

    def make_unscale(original: Callable[..., Any]) -> Callable[..., Any]:
        def unscale(*args: Any, **kwargs: Any) -> Any:
            recorder.note("unscaled", where=recorder.where())
            return original(*args, **kwargs)

        return unscale

    patches.wrap(Accelerator, "__init__", make_init)
    patches.wrap(Accelerator, "unscale_gradients", make_unscale)
