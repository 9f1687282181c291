"""Rooms for tests: what a run finds in one, and when it has ended."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from looplift.sandbox.bounds import Bounds
from looplift.sandbox.room import EVIDENCE, Room


def found(look: Callable[[], object], folder: Path, bounds: Bounds | None = None) -> object:
    """What `look` returns in a room, by way of a file in its record's folder."""

    def work() -> None:
        (EVIDENCE / "stack-0.txt").write_text(json.dumps(look()))

    room = Room(work, bounds)
    try:
        assert ended(room) == 0
        assert room.collect(folder)
    finally:
        room.close()
    fault = folder / "fault.txt"
    assert not fault.exists(), fault.read_text()
    return json.loads((folder / "stack-0.txt").read_text())


def ended(room: Room) -> int | None:
    """Wait for a room's run; its exit code."""
    for _ in range(6000):
        code = room.poll()
        if code is not None:
            return code
        time.sleep(0.005)
    raise AssertionError("the run does not end")


def error_of(do: Callable[[], object]) -> str:
    """The kind of error that something raises, "" when it works."""
    try:
        do()
    except Exception as error:  # noqa: BLE001
        return type(error).__name__
    return ""


def soon(true: Callable[[], bool]) -> bool:
    """Whether something becomes true, asked for a while."""
    return any(true() or time.sleep(0.01) for _ in range(2000))
