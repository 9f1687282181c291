"""In which precision networks compute, and how exact the loss is that goes backward.

What a layer gives is of the dtype it was computed in, so the dtypes of the layers' outputs show what autocast, a cast
or nothing did, however it was written. The loss is computed again from the model's own outputs in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from looplift.evidence.recorder import Drawn, Recorder
from looplift.evidence.spies.loaders import batch_of

# layers whose inputs autocast casts
_COMPUTING = (torch.nn.Linear, torch.nn.Conv2d)

# The exact loss for logits and the row ids of a batch.
Loss = Callable[[torch.Tensor, tuple[int, ...]], torch.Tensor]


def _float(values: Any) -> torch.Tensor | None:
    """The logits in what a model gives."""
    values = getattr(values, "logits", values)
    return values if isinstance(values, torch.Tensor) and values.is_floating_point() else None


class PrecisionSpy:
    """Watches the layers of networks, and each loss. loss: the exact one, None where it cannot be told."""

    def __init__(self, recorder: Recorder, loss: Loss | None) -> None:
        self._recorder, self._loss = recorder, loss
        # network -> dtype of a layer's output -> where it was called
        self._computed: dict[str, dict[str, Any]] = {}
        self._noted: dict[str, dict[str, Any]] = {}
        self._outputs: list[torch.Tensor] = []
        self._used = False  # whether a backward has come since the model gave the outputs

    def follow(self, network: torch.nn.Module, name: str, trained: bool) -> None:
        """From now on watch a network. trained: its passes without gradients are no training."""

        def before(module: torch.nn.Module, args: Any, kwargs: Any) -> None:
            if torch.is_grad_enabled() or not trained:
                self._computed[name] = {}
            if not trained:
                self._recorder.featured = batch_of(self._recorder, (args, kwargs))

        def layer(module: torch.nn.Module, args: Any, output: Any) -> None:
            if (torch.is_grad_enabled() or not trained) and isinstance(output, torch.Tensor):
                dtype = str(output.dtype).removeprefix("torch.")
                self._computed.setdefault(name, {}).setdefault(dtype, self._recorder.where())

        def after(module: torch.nn.Module, args: Any, output: Any) -> None:
            logits = _float(output)
            if torch.is_grad_enabled() and logits is not None:
                if self._used:
                    self._outputs, self._used = [], False
                self._outputs.append(logits.detach())

        network.register_forward_pre_hook(before, with_kwargs=True)
        for it in network.modules():
            if isinstance(it, _COMPUTING):
                it.register_forward_hook(layer)
        if trained:
            network.register_forward_hook(after)

    def before_backward(self, tensors: Any) -> None:
        """Note what the loss that goes backward was computed in, and its value beside the exact one."""
        recorder = self._recorder
        if self._computed != self._noted:
            self._noted = {name: dict(found) for name, found in self._computed.items()}
            recorder.note("computed", networks=self._noted)
        loss = tensors[0] if isinstance(tensors, (tuple, list)) and tensors else tensors
        if isinstance(loss, torch.Tensor) and loss.numel() == 1:
            recorder.note(
                "loss",
                value=float(loss.detach()),
                dtype=str(loss.dtype).removeprefix("torch."),
                exact=self._exact(recorder.forwarded or recorder.at_work),
                where=recorder.where(),
            )
        self._used = True

    def _exact(self, batch: Drawn | None) -> float | None:
        """The loss of the outputs since the last backward, None when they are not the batch's."""
        if self._loss is None or batch is None or batch[1] != "train" or not self._outputs or -1 in batch[2]:
            return None
        logits = torch.cat(self._outputs)
        if len(logits) != len(batch[2]):
            return None
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            return float(self._loss(logits.double(), batch[2]))
