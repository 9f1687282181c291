"""Backward passes, and each rank's own gradient before the processes average it.

A gradient is written down as one number, the same random linear function of it on every rank. The function is
linear, so the synchronised gradient's number must be the mean of the ranks' own numbers, whatever the loss, the
optimizer or the number of parameters. Measured: right loops agree to rounding, unsynchronised ones differ by 40 %
and more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

from looplift.evidence.recorder import Recorder
from looplift.evidence.spies.accelerator import within
from looplift.evidence.spies.loaders import batch_of
from looplift.evidence.spies.patch import Patches


def watch(recorder: Recorder, patches: Patches) -> None:
    def make_backward(original: Callable[..., Any]) -> Callable[..., Any]:
        def backward(*args: Any, **kwargs: Any) -> Any:
            if recorder.precision is not None:
                recorder.precision.before_backward(args[0] if args else kwargs.get("tensors"))
            batch = recorder.forwarded
            if batch is not None and batch != recorder.at_work:
                # Looked ahead, kept in a list, cycled through: the last batch drawn is not the one in work.
                recorder.at_work = batch
                recorder.note("fed", iteration=batch[0], part=batch[1], ids=batch[2])
            try:
                return original(*args, **kwargs)
            finally:
                through = recorder.deep("accelerator.backward")
                losses = {"loss": loss_of(args)} if recorder.tracked else {}
                recorder.note("backward", through=through, where=recorder.where(), **losses)

        return backward

    patches.wrap(torch.autograd, "backward", make_backward)
    patches.wrap(DistributedDataParallel, "forward", within(recorder, "DDP.forward"))


def loss_of(args: tuple[Any, ...]) -> float | None:
    """The number that goes backward, None when it is not one number."""
    first = args[0] if args else None
    tensor = first[0] if isinstance(first, (list, tuple)) and len(first) == 1 else first
    if isinstance(tensor, torch.Tensor) and tensor.numel() == 1:
        return float(tensor.detach())
    return None


class GradientScale:
    """The linear function of one model's gradients, and the rank's own sum of it since they were last zero."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.parameters = [it for it in model.parameters() if it.requires_grad]
        draw = torch.Generator().manual_seed(20_240_229)
        # Flat, because one dot product of two vectors is the cheapest way to one number (measured: half the cost of
        # multiplying and summing).
        self.directions = [
            torch.randn(it.numel(), generator=draw, dtype=torch.float64).to(it.dtype)
            for it in self.parameters
        ]
        self.own = [0.0] * len(self.parameters)
        for index, parameter in enumerate(self.parameters):
            parameter.register_hook(self._hook(index))

    def _hook(self, index: int) -> Callable[[torch.Tensor], None]:
        parameter, direction = self.parameters[index], self.directions[index]

        def add(gradient: torch.Tensor) -> None:
            flat = gradient.detach().reshape(-1)
            if flat.dtype != direction.dtype:  # a model whose weights were cast
                flat = flat.type(direction.dtype)
            here = float(torch.dot(flat, direction))
            fresh = parameter.grad is None or not bool(parameter.grad.any())
            self.own[index] = here if fresh else self.own[index] + here

        return add

    def local(self, held: set[int] | None = None) -> float:
        """The rank's own sum. held: identities of the parameters that count; all of them when None."""
        pairs = zip(self.parameters, self.own, strict=True)
        return sum(own for it, own in pairs if held is None or id(it) in held)

    def synchronised(self, held: set[int] | None = None) -> float:
        pairs = zip(self.parameters, self.directions, strict=True)
        return sum(
            float(torch.dot(it.grad.detach().reshape(-1).type(way.dtype), way))
            for it, way in pairs
            if it.grad is not None and (held is None or id(it) in held)
        )


def watch_model(recorder: Recorder, model: torch.nn.Module) -> GradientScale:
    """Note every forward pass of a model that the kit handed out; return its gradient's number."""
    index = len(recorder.models)
    recorder.models.append(model)
    last: list[Any] = []

    def before_forward(module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        if torch.is_grad_enabled():
            recorder.forwarded = batch_of(recorder, (args, kwargs)) or recorder.featured
        facts = [recorder.deep("DDP.forward"), module.training, torch.is_grad_enabled(), recorder.where()]
        if facts != last:  # a loop repeats itself: write down changes only
            last[:] = facts
            recorder.note(
                "forward", model=index, wrapped=facts[0], training=facts[1], grad=facts[2], where=facts[3]
            )

    model.register_forward_pre_hook(before_forward, with_kwargs=True)
    return GradientScale(model)
