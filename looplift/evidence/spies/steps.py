"""Optimizer and scheduler steps."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.optimizer import AcceleratedOptimizer
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.optimizer import register_optimizer_step_pre_hook

from looplift.evidence.recorder import Recorder
from looplift.evidence.spies.accelerator import within
from looplift.evidence.spies.gradients import GradientScale
from looplift.evidence.spies.patch import Patches

_scales: dict[int, GradientScale] = {}
_only_held: set[int] = set()


def follow(index: int, scale: GradientScale, only_held: bool = False) -> None:
    """From now on, note this model's gradient at each optimizer step; only of what that optimizer holds, if asked."""
    _scales[index] = scale
    if only_held:
        _only_held.add(index)


def watch(recorder: Recorder, patches: Patches) -> None:
    patches.wrap(AcceleratedOptimizer, "step", within(recorder, "accelerated optimizer"))

    def note_step(optimizer: torch.optim.Optimizer) -> None:
        held = {id(it) for group in optimizer.param_groups for it in group["params"]}
        gradients = {}
        for index, scale in _scales.items():
            if any(id(it) in held for it in scale.parameters):
                part = held if index in _only_held else None
                gradients[index] = [scale.local(part), scale.synchronised(part)]
        recorder.note(
            "step",
            lr=[float(group["lr"]) for group in optimizer.param_groups],
            through=recorder.deep("accelerated optimizer"),
            gradients=gradients,
            where=recorder.where(),
        )

    def before_step(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> Any:
        """Note the step; with a closure, which does the backward itself, note it once the closure has run."""
        named = "closure" in kwargs
        closure = (
            kwargs.get("closure") if named else (args[1] if len(args) > 1 else None)
        )  # args[0] is the optimizer
        if not callable(closure):
            note_step(optimizer)
            return None

        @functools.wraps(closure)
        def noted(*given: Any, **more: Any) -> Any:
            value = closure(*given, **more)
            note_step(optimizer)
            return value

        return (args, {**kwargs, "closure": noted}) if named else ((args[0], noted, *args[2:]), kwargs)

    register_optimizer_step_pre_hook(before_step)

    def make_schedule(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(self: LRScheduler, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            where = recorder.where()
            if self._step_count > 1:  # the first is made by the constructor
                recorder.note("schedule", through=recorder.deep("accelerated scheduler"), where=where)
            else:
                recorder.note("scheduler made", where=where, total=getattr(self, "total_steps", None))
            return result

        return step

    patches.wrap(LRScheduler, "step", make_schedule)
    watch_gradients_between_steps(recorder, patches)


def watch_gradients_between_steps(recorder: Recorder, patches: Patches) -> None:
    """Note what is done to gradients between backward and step: cleared, by whom, and clipped."""

    def make(kind: str, by: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrapped(original: Callable[..., Any]) -> Callable[..., Any]:
            def noted(*args: Any, **kwargs: Any) -> Any:
                if not recorder.deep(kind):  # the Accelerator's own clipping calls PyTorch's
                    networks = _touched(recorder, args[0]) if recorder.networks else []
                    recorder.note(kind, by=by, networks=networks, where=recorder.where())
                recorder.inside[kind] = recorder.inside.get(kind, 0) + 1
                try:
                    return original(*args, **kwargs)
                finally:
                    recorder.inside[kind] -= 1

            return noted

        return wrapped

    patches.wrap(torch.optim.Optimizer, "zero_grad", make("cleared", "optimizer"))
    patches.wrap(torch.nn.Module, "zero_grad", make("cleared", "model"))
    for name in ("clip_grad_norm_", "clip_grad_value_"):
        patches.wrap(Accelerator, name, make("clipped", "accelerator"))
        patches.wrap(torch.nn.utils, name, make("clipped", "torch"))
        patches.wrap(torch.nn.utils.clip_grad, name, make("clipped", "torch"))


def _touched(recorder: Recorder, thing: Any) -> list[int]:
    """Which of the kit's models an optimizer or a module holds parameters of."""
    if isinstance(thing, torch.nn.Module):
        held = {id(it) for it in thing.parameters()}
    else:
        held = {id(it) for group in getattr(thing, "param_groups", ()) for it in group["params"]}
    models = enumerate(recorder.models)
    return [index for index, model in models if any(id(it) in held for it in model.parameters())]
