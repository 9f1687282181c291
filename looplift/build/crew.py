"""Tasks done side by side in processes that were forked before any of them began."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

_PATIENCE = 5.0  # seconds for a process to end what it runs


@dataclass(frozen=True)
class Lost:
    """A task came to no end. why: in a few words."""

    why: str


class _Told(BaseException):
    """This process is told to end: what a task runs is ended on the way out."""


@dataclass
class _Hand:
    """A process that does one task after the other. task: the number of the one that it is at."""

    pid: int
    pipe: Connection
    task: int | None = None


def done(tasks: Sequence[Callable[[], Any]], hands: int) -> Iterator[tuple[int, Any]]:
    """(number of a task, what came of it or Lost), as they are done, in any order.

    hands: how many processes. A task that kills its process costs only itself. When the caller stops asking, or is
    interrupted, every process is ended, and with it what it runs.
    """
    waiting = deque(range(len(tasks)))
    crew = [_hire(tasks) for _ in range(min(hands, len(tasks)))]
    try:
        for hand in crew:
            _give(hand, waiting)
        while any(hand.task is not None for hand in crew):
            busy = {hand.pipe: hand for hand in crew if hand.task is not None}
            for pipe in wait(list(busy)):
                hand = busy[pipe]  # type: ignore[index]
                number = hand.task
                assert number is not None
                try:
                    came = hand.pipe.recv()
                except (EOFError, OSError):
                    came = Lost(_ended(hand.pid))
                    hand.pipe.close()
                    crew[crew.index(hand)] = hand = _hire(tasks)
                _give(hand, waiting)
                yield number, came
    finally:
        _dismiss(crew)


def _give(hand: _Hand, waiting: deque[int]) -> None:
    hand.task = waiting.popleft() if waiting else None
    with contextlib.suppress(OSError):  # it died just now: its end of the pipe says so
        hand.pipe.send(hand.task)


def _hire(tasks: Sequence[Callable[[], Any]]) -> _Hand:
    ours, theirs = Pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        ours.close()
        _work(tasks, theirs)
    theirs.close()
    return _Hand(pid, ours)


def _work(tasks: Sequence[Callable[[], Any]], pipe: Connection) -> NoReturn:
    """The forked side. What a task prints is nobody's business."""
    from looplift.evidence.watch import die_with_parent

    def end(*_: object) -> None:
        raise _Told

    try:
        signal.signal(signal.SIGTERM, end)
        die_with_parent()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1) if os.environ.get("LOOPLIFT_DEBUG") else (0, 1, 2):
            os.dup2(null, stream)
        while True:
            number = pipe.recv()
            if number is None:
                break
            try:
                came = tasks[number]()
            except (Exception, SystemExit) as error:
                came = Lost(f"{type(error).__name__}: {error}".rstrip(": "))
            pipe.send(came)
    except BaseException:  # noqa: BLE001 - told to end, or nobody listens any more
        pass
    finally:
        os._exit(0)


def _ended(pid: int) -> str:
    """How a process ended."""
    with contextlib.suppress(ChildProcessError):
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
    return "its process ended itself"


def _dismiss(crew: Sequence[_Hand]) -> None:
    for hand in crew:
        hand.pipe.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(hand.pid, signal.SIGTERM)
    until = time.monotonic() + _PATIENCE
    for hand in crew:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(hand.pid, os.WNOHANG)[0] == 0:
                if time.monotonic() > until:
                    os.kill(hand.pid, signal.SIGKILL)
                    os.waitpid(hand.pid, 0)
                    break
                time.sleep(0.02)
