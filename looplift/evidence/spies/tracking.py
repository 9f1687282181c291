"""The log of a training: who writes it, what is in it, whether it is closed. And progress bars.

TensorBoard's own writer is watched, which every way to write such a log ends at: Accelerate's tracker, a
`SummaryWriter` by hand, a tracker of the student's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator

from looplift.evidence.recorder import Recorder
from looplift.evidence.scratch import Scratch
from looplift.evidence.spies.patch import Patches

TRACKING = ("init_trackers", "log", "end_training")
# Calls in which every rank waits for all others. Not broadcast: who sends does not wait.
WAITING = ("barrier", "all_reduce", "all_gather", "all_gather_into_tensor", "all_gather_object")
LONGEST = 1000  # characters of a text that are kept


def watch(recorder: Recorder, patches: Patches, scratch: Scratch) -> None:
    _watch_accelerator(recorder, patches)
    _watch_writers(recorder, patches, scratch.log_folder)
    _watch_bars(recorder, patches)

    def make_waiting(original: Callable[..., Any]) -> Callable[..., Any]:
        def waiting(*args: Any, **kwargs: Any) -> Any:
            scratch.entered()
            return original(*args, **kwargs)

        return waiting

    for name in WAITING:
        patches.wrap(torch.distributed, name, make_waiting)


def _watch_accelerator(recorder: Recorder, patches: Patches) -> None:
    def make(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrapped(original: Callable[..., Any]) -> Callable[..., Any]:
            def called(self: Accelerator, *args: Any, **kwargs: Any) -> Any:
                values = args[0] if args else kwargs.get("values")
                recorder.note(
                    "tracker",
                    name=name,
                    started=len(self.trackers),
                    asked=len(self.log_with),
                    given=_sizes(values) if name == "log" else None,
                    where=recorder.where(),
                )
                return original(self, *args, **kwargs)

            return called

        return wrapped

    for name in TRACKING:
        patches.wrap(Accelerator, name, make(name))


def _sizes(values: Any) -> dict[str, int]:
    """How many numbers each value holds; 0 for what is no number."""
    pairs = list(values.items())[:50] if isinstance(values, dict) else []
    return {str(key)[:100]: _size(it) for key, it in pairs}


def _size(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel() if value.dim() else 1
    return int(isinstance(value, (int, float, str, dict)) or getattr(value, "ndim", 1) == 0)


def _watch_writers(recorder: Recorder, patches: Patches, log_folder: Path) -> None:
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    numbers: dict[int, int] = {}  # id of a writer -> its number; a fork goes on counting where its parent was

    def make_init(original: Callable[..., Any]) -> Callable[..., Any]:
        def init(self: Any, logdir: Any, *args: Any, **kwargs: Any) -> None:
            original(self, logdir, *args, **kwargs)
            recorder.keep(self)
            numbers[id(self)] = len(numbers)
            place = Path(str(logdir)).resolve()
            inside = place == log_folder or log_folder in place.parents
            shown = str(place.relative_to(log_folder)) if inside else str(logdir)
            recorder.note(
                "log opened",
                writer=numbers[id(self)],
                folder=shown[:300],
                inside=inside,
                where=recorder.where(),
            )

        return init

    def make_add(original: Callable[..., Any]) -> Callable[..., Any]:
        def add_event(self: Any, event: Any) -> None:
            original(self, event)
            for value in event.summary.value:
                _note_value(recorder, numbers.get(id(self), -1), int(event.step), value)

        return add_event

    def make_end(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def ended(self: Any) -> None:
                original(self)
                recorder.note(kind, writer=numbers.get(id(self), -1))

            return ended

        return make

    patches.wrap(EventFileWriter, "__init__", make_init)
    patches.wrap(EventFileWriter, "add_event", make_add)
    patches.wrap(EventFileWriter, "flush", make_end("log flushed"))
    patches.wrap(EventFileWriter, "close", make_end("log closed"))


def _note_value(recorder: Recorder, writer: int, step: int, value: Any) -> None:
    """One value of an event: a number, hyperparameters or a text."""
    plugin = value.metadata.plugin_data.plugin_name
    if plugin == "hparams":
        values = _hyperparameters(value.metadata.plugin_data.content)
        if values:
            recorder.note("hyperparameters", writer=writer, values=values, where=recorder.where())
    elif plugin == "text":
        text = b" ".join(value.tensor.string_val).decode(errors="replace")[:LONGEST]
        recorder.note("log text", writer=writer, tag=value.tag[:200], text=text, where=recorder.where())
    else:
        number = _number(value)
        if number is not None:
            recorder.note(
                "logged", writer=writer, tag=value.tag[:200], value=number, step=step, where=recorder.where()
            )


def _number(value: Any) -> float | None:
    """The number of a scalar, in the old form or the new one."""
    if value.HasField("simple_value"):
        found = float(value.simple_value)
    elif value.HasField("tensor") and not value.tensor.tensor_shape.dim:
        from tensorboard.util.tensor_util import make_ndarray

        array = make_ndarray(value.tensor)
        if array.dtype.kind not in "fiu":
            return None
        found = float(array)
    else:
        return None
    return found if math.isfinite(found) else 1e308  # JSON has no other numbers


def _hyperparameters(content: bytes) -> dict[str, Any]:
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    found: dict[str, Any] = {}
    for name, it in HParamsPluginData.FromString(content).session_start_info.hparams.items():
        kind = it.WhichOneof("kind")
        found[name[:100]] = (
            getattr(it, kind) if kind in ("number_value", "string_value", "bool_value") else None
        )
    return found


def _watch_bars(recorder: Recorder, patches: Patches) -> None:
    import tqdm

    def make_close(original: Callable[..., Any]) -> Callable[..., Any]:
        def close(self: Any) -> None:
            shown = not getattr(self, "disable", True)
            if shown:
                total = self.total if isinstance(self.total, (int, float)) else None
                recorder.note("bar closed", shown=shown, count=self.n, total=total, where=recorder.where())
            original(self)

        return close

    patches.wrap(tqdm.std.tqdm, "close", make_close)
