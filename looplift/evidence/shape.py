"""What an event looks like: the fields that readers rely on, and of what type they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Test = Callable[[Any], bool]
MOST_NUMBERS = 100_000  # in one list; more is nobody's batch


def _number(it: Any) -> bool:
    return isinstance(it, (int, float)) and not isinstance(it, bool)


def _whole(it: Any) -> bool:
    return isinstance(it, int) and not isinstance(it, bool) and abs(it) < 2**53


def _text(it: Any) -> bool:
    return isinstance(it, str)


def _flag(it: Any) -> bool:
    return isinstance(it, bool)


def _list_of(test: Test) -> Test:
    return lambda it: isinstance(it, list) and len(it) <= MOST_NUMBERS and all(test(each) for each in it)


def _or_none(test: Test) -> Test:
    return lambda it: it is None or test(it)


def _place(it: Any) -> bool:
    """[compile name, line] or nothing."""
    return it is None or (isinstance(it, list) and len(it) == 2 and _text(it[0]) and _whole(it[1]))


def _gradients(it: Any) -> bool:
    """Model -> [own, synchronised]."""
    return isinstance(it, dict) and all(
        key.isdigit() and _list_of(_number)(pair) and len(pair) == 2 for key, pair in it.items()
    )


_ERROR: dict[str, Test] = {"error": _text, "text": _text, "where": _place}
_BATCH: dict[str, Test] = {"iteration": _whole, "part": _text, "ids": _list_of(_whole)}
_SHAPES: dict[str, dict[str, Test]] = {
    "rank": {"rank": _whole, "world": _whole},
    "raised": {"rank": _whole, **_ERROR},
    "returned": {"rank": _whole, "value": lambda _: True},
    "done": {"rank": _whole, "tampered": _list_of(_text)},
    "launched": {"tampered": _list_of(_text)},
    "weights": {"rank": _whole, "model": _whole, "digest": _text},
    "load error": _ERROR,
    "launch error": {"first": _or_none(_whole), **_ERROR},
    "no function": {"name": _text, "found": _text},
    "left behind": {"names": _list_of(_text)},
    "launch": {"callable": _flag, "args": _text, "args_type": _text, "kwargs": _list_of(_text), "where": _place},
    "loaders made": {"batch_size": lambda _: True, "where": _place},
    "model made": {"where": _place},
    "accelerator": {
        "processes": _whole, "index": _whole, "split_batches": _flag, "accumulation": _number, "precision": _text,
        "device_placement": _flag, "where": _place,
    },
    "prepare": {"roles": _list_of(_text), "where": _place},
    "prepared": {"role": _text, "as_type": _text, "where": _place},
    "collective": {"name": _text, "given": lambda _: True, "got": lambda _: True, "where": _place},
    "save": {"name": _text, "path": _text, "where": _place},
    "backward": {"through": _flag, "where": _place},
    "forward": {"model": _whole, "wrapped": _flag, "training": _flag, "grad": _flag, "where": _place},
    "iteration": {"number": _whole, "role": _text, "prepared": _flag, "where": _place},
    "batch": {"role": _text, "prepared": _flag, **_BATCH},
    "fed": _BATCH,
    "move": {"what": _text, "to": _text, "by_accelerator": _flag, "where": _place},
    "print": {"stream": _text, "text": _text, "where": _place},
    "step": {"lr": _list_of(_number), "through": _flag, "gradients": _gradients, "where": _place},
    "schedule": {"through": _flag, "where": _place},
    "scheduler made": {"total": lambda _: True, "where": _place},
    "rows asked": {"there": _flag, "where": _place},
    "bar": {"stream": _text, "where": _place},
    "bar closed": {"shown": _flag, "count": _number, "total": _or_none(_number), "where": _place},
    "tracker": {"name": _text, "started": _whole, "asked": _whole, "given": lambda _: True, "where": _place},
    "log opened": {"writer": _whole, "folder": _text, "inside": _flag, "where": _place},
    "log flushed": {"writer": _whole},
    "log closed": {"writer": _whole},
    "logged": {"writer": _whole, "tag": _text, "value": _number, "step": _whole, "where": _place},
    "hyperparameters": {"writer": _whole, "values": lambda it: isinstance(it, dict), "where": _place},
    "log text": {"writer": _whole, "tag": _text, "text": _text, "where": _place},
}  # fmt: skip


def well_formed(event: dict[str, Any]) -> bool:
    """Whether a reader may take the event as it is. A kind that is not known here only needs what all have."""
    kind, at = event.get("kind"), event.get("at")
    if not isinstance(kind, str) or not _number(at) or not math.isfinite(at):  # type: ignore[arg-type]
        return False
    if not _or_none(_whole)(event.get("rank")) or not isinstance(event.get("phase"), (str, type(None))):
        return False
    return all(name in event and test(event[name]) for name, test in _SHAPES.get(kind, {}).items())
