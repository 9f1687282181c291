"""Processes as /proc shows them: the state, the processor time used, the memory held."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

LINUX = sys.platform == "linux"
_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True)
class Alive:
    """A process: state letter, processor time used in seconds, its parent, its session, resident bytes.

    reaped: processor time of its children that have ended and been waited for. A zombie has state Z.
    """

    pid: int
    state: str
    used: float
    parent: int = 0
    session: int = 0
    resident: int = 0
    reaped: float = 0.0


def processes_in(place: str | int) -> list[Alive]:
    """The processes that a mounted proc shows, zombies too. place: its path, or a descriptor of its folder."""
    found = []
    at = f"/proc/self/fd/{place}" if isinstance(place, int) else place
    for name in os.listdir(at):
        if name[0] in "123456789":
            it = process_in(f"{at}/{name}/stat")
            if it is not None:
                found.append(it)
    return found


def process_in(path: str) -> Alive | None:
    """The process of a /proc/PID/stat; None when it is gone."""
    text = _stat(path)
    return _process(text) if text else None


def session_of(sid: int) -> list[Alive]:
    """Processes of a session; none where there is no /proc."""
    if not LINUX:
        return []
    found, wanted = [], str(sid).encode()
    for name in os.listdir("/proc"):
        if name[0] in "123456789":
            text = _stat(f"/proc/{name}/stat")
            # The name in brackets is the process's own choice and may hold anything.
            if text and text[text.rindex(b")") + 2 :].split(None, 4)[3] == wanted:
                found.append(_process(text))
    return found


def _stat(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, 1024)
    except OSError:  # it ended between the two
        return b""
    finally:
        os.close(file)


def _process(text: bytes) -> Alive:
    rest = text[text.rindex(b")") + 2 :].split()
    used, reaped = (int(rest[11]) + int(rest[12])) / _TICK, (int(rest[13]) + int(rest[14])) / _TICK
    pid = int(text[: text.index(b" ")])
    return Alive(pid, rest[0].decode(), used, int(rest[1]), int(rest[3]), int(rest[21]) * _PAGE, reaped)
