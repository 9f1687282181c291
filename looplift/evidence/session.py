"""Processes of a run without a room: a forked process in a session of its own, and what it starts."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from looplift.sandbox.processes import LINUX, Alive, session_of

_adopting: set[int] = set()  # process ids that were made for judging: every child of theirs is a run's


def adopt_orphans() -> None:
    """Let processes that lose their parent become children of this one, so that none outlives the run (Linux).

    For a process made for judging only: from now on a `Session` that ends takes every other child of it along, too.
    """
    _adopting.add(os.getpid())
    if LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def die_with_parent() -> None:
    """Let the kernel kill this process when its parent dies, so that a killed grader leaves nothing (Linux)."""
    if LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG


def end_children() -> None:
    """Kill and reap every child of this process, and theirs as they come. For processes made for judging."""
    for _ in range(200):
        try:
            pid, _status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            for child in _children():
                _kill(child)
            time.sleep(0.005)


def _children() -> list[int]:
    if not LINUX:
        return []
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            found += [int(it) for it in Path(f"/proc/self/task/{task}/children").read_text().split()]
        except OSError:
            continue
    return found


def _kill(pid: int, sign: int = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, sign)


class Session:
    """`work`, done in a forked process with a session of its own. folder: where its record is."""

    def __init__(self, work: Callable[[], None], folder: Path) -> None:
        self.folder = folder
        self._gone = False
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.setsid()
                die_with_parent()
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                work()
            except BaseException as error:  # noqa: BLE001 - the kit's own fault; say so in the evidence
                (folder / "fault.txt").write_text(f"{type(error).__name__}: {error}")
            finally:
                os._exit(0)

    def poll(self) -> int | None:
        """None while the process goes on, then its exit code."""
        done, status = os.waitpid(self._pid, os.WNOHANG)
        self._gone = bool(done)
        return os.waitstatus_to_exitcode(status) if done else None

    def processes(self) -> list[Alive]:
        """Processes of the session; none where there is no /proc."""
        return session_of(self._pid)

    def signal(self, pid: int, sign: int) -> None:
        """Send a signal to a process of the session; others are left alone, whatever a record says."""
        if any(it.pid == pid for it in session_of(self._pid)) or not LINUX:
            _kill(pid, sign)

    def too_much(self, processes: list[Alive]) -> str:
        """A session has no bounds but those of its user."""
        return ""

    def end(self) -> None:
        """End every process of the session; in a process made for judging every other child, too."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        for it in session_of(self._pid):
            _kill(it.pid)
        if os.getpid() in _adopting:
            end_children()
        elif not self._gone:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)
