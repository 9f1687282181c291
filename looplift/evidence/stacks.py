"""Where the ranks of a run stand, by faulthandler."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from looplift.sandbox.files import OddFileError, read_plain
from looplift.sandbox.processes import LINUX

Frames = list[tuple[str, int, str]]  # (file, line, function), innermost first
_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.*)$')
_PATIENCE = (
    3.0 if LINUX else 0.5
)  # seconds; a rank that waits for a core answers late, one that is gone never
_LARGEST = 1 << 20  # bytes of a dump that are read


def stacks_of(ranks: dict[int, int], folder: Path, ask: Callable[[int], None]) -> dict[int, Frames]:
    """Where each rank stands. ranks: process id -> rank. ask: makes a process write its stacks down.

    Waits until every file has been written and stays as it is.
    """
    before = {rank: _text(folder, rank) for rank in ranks.values()}
    for pid in ranks:
        ask(pid)
    until = time.monotonic() + _PATIENCE
    last: dict[int, str] = {}
    while time.monotonic() < until:
        time.sleep(0.02)
        texts = {rank: _text(folder, rank) for rank in ranks.values()}
        if texts == last and all(it != before[rank] for rank, it in texts.items()):
            break
        last = texts
    return {rank: frames for rank, text in last.items() if (frames := _main_thread(text))}


def _text(folder: Path, rank: int) -> str:
    try:
        return read_plain(folder / f"stack-{rank}.txt", _LARGEST).decode(errors="replace")
    except OddFileError:
        return ""


def _main_thread(text: str) -> Frames:
    """Frames of the thread that runs the student's function in faulthandler's text: the last block, main thread."""
    blocks = [block for block in text.split("\n\n") if "File " in block]
    if not blocks:
        return []
    frames = (_FRAME.match(line) for line in blocks[-1].splitlines())
    return [(it["file"], int(it["line"]), it["name"]) for it in frames if it]


def any_waiting(stacks: Iterable[Frames]) -> bool:
    """True when some rank waits in a collective or is parked at its end; a plain sleep is no deadlock."""
    for frames in stacks:
        top = " ".join(file for file, _, _ in frames[:6])
        if "torch/distributed" in top or "torch/autograd" in top or "multiprocessing" in top:
            return True
    return False
