"""What is done with the Accelerator: made, prepare, backward, collectives, saving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.scheduler import AcceleratedScheduler

from looplift.evidence.recorder import Recorder
from looplift.evidence.spies.patch import Patches

COLLECTIVES = ("gather", "gather_for_metrics", "reduce", "pad_across_processes", "wait_for_everyone")
SAVERS = ("save", "save_model", "save_state", "load_state")
PREPARE_ONE = ("prepare_model", "prepare_optimizer", "prepare_scheduler", "prepare_data_loader")


def _shape(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return list(value.shape)
    if isinstance(value, dict):
        return {str(key): _shape(it) for key, it in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shape(it) for it in value[:8]]
    return type(value).__name__


def within(recorder: Recorder, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrapper that only counts how deep we are in `name`."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def inner(*args: Any, **kwargs: Any) -> Any:
            recorder.inside[name] = recorder.inside.get(name, 0) + 1
            try:
                return original(*args, **kwargs)
            finally:
                recorder.inside[name] -= 1

        return inner

    return make


def watch(recorder: Recorder, patches: Patches) -> None:
    def make_init(original: Callable[..., Any]) -> Callable[..., Any]:
        def init(self: Accelerator, *args: Any, **kwargs: Any) -> None:
            where = recorder.where()
            original(self, *args, **kwargs)
            recorder.accelerator_devices.append(self.device)
            recorder.note(
                "accelerator",
                where=where,
                processes=self.num_processes,
                index=self.process_index,
                split_batches=bool(self.split_batches),
                accumulation=self.gradient_accumulation_steps,
                precision=str(self.mixed_precision),
                device_placement=bool(self.device_placement),
            )

        return init

    def make_prepare(original: Callable[..., Any]) -> Callable[..., Any]:
        def prepare(self: Accelerator, *args: Any, **kwargs: Any) -> Any:
            recorder.note("prepare", where=recorder.where(), roles=[recorder.role(it) for it in args])
            return original(self, *args, **kwargs)

        return prepare

    def make_one(original: Callable[..., Any]) -> Callable[..., Any]:
        def prepare_one(self: Accelerator, thing: Any, *args: Any, **kwargs: Any) -> Any:
            role = recorder.role(thing)
            recorder.keep(thing)
            result = original(self, thing, *args, **kwargs)
            recorder.note("prepared", role=role, where=recorder.where(), as_type=type(result).__name__)
            return result

        return prepare_one

    def make_collective(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def collective(self: Accelerator, *args: Any, **kwargs: Any) -> Any:
                nested = recorder.deep("collective")
                recorder.inside["collective"] = recorder.inside.get("collective", 0) + 1
                try:
                    result = original(self, *args, **kwargs)
                finally:
                    recorder.inside["collective"] -= 1
                if not nested:
                    recorder.note(
                        "collective",
                        name=name,
                        where=recorder.where(),
                        given=_shape(args[0]) if args else None,
                        got=_shape(result),
                    )
                return result

            return collective

        return make

    def make_saver(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def saver(self: Accelerator, *args: Any, **kwargs: Any) -> Any:
                recorder.note(
                    "save", name=f"accelerator.{name}", where=recorder.where(), path=repr(args[-1:])[:200]
                )
                return original(self, *args, **kwargs)

            return saver

        return make

    def make_once(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Note each line that calls this, once."""
        seen: set[tuple[Any, ...]] = set()

        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def called(*args: Any, **kwargs: Any) -> Any:
                where = recorder.where()
                if where and tuple(where) not in seen:
                    seen.add(tuple(where))
                    recorder.note(kind, where=where)
                return original(*args, **kwargs)

            return called

        return make

    patches.wrap(Accelerator, "accumulate", make_once("accumulate"))
    patches.wrap(Accelerator, "__init__", make_init)
    patches.wrap(Accelerator, "prepare", make_prepare)
    for name in PREPARE_ONE:
        patches.wrap(Accelerator, name, make_one)
    for name in COLLECTIVES:
        patches.wrap(Accelerator, name, make_collective(name))
    for name in SAVERS:
        patches.wrap(Accelerator, name, make_saver(name))
    patches.wrap(Accelerator, "backward", within(recorder, "accelerator.backward"))
    patches.wrap(AcceleratedScheduler, "step", within(recorder, "accelerated scheduler"))
