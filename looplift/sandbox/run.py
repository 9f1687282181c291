"""Inside: how a process that has just been forked becomes one that may run a stranger's code."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from looplift.sandbox import calls, kernel, root
from looplift.sandbox.bounds import Bounds, set_limits

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "HF_HUB_OFFLINE",
         "TOKENIZERS_PARALLELISM", "PYTHONHASHSEED", "LOOPLIFT_DEBUG", "LOOPLIFT_TEST_RUN")  # fmt: skip
_SPACES = (kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
           | kernel.CLONE_NEWCGROUP)  # fmt: skip


def enclose(
    outside: socket.socket, bounds: Bounds, owner: tuple[int, int], work: Callable[[], None]
) -> NoReturn:
    """Give up all rights in this process, the first of its process namespace, then do `work` and end.

    outside: is told `built`, with the descriptors of three folders, then `ready`; answers `go`. owner: the user
    and group outside that this process becomes.
    """
    try:
        kernel.die_with_parent(signal.SIGKILL)
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        kernel.unshare(_SPACES)
        root.build(bounds, owner)
        kernel.raise_loopback()
        socket.sethostname("localhost")
        folders = [os.open(it, os.O_RDONLY | os.O_DIRECTORY) for it in (root.EVIDENCE, root.OUTPUT, "/proc")]
        _tell(outside, "built", *folders)
        if os.geteuid() == 0:
            os.setgroups([])
        kernel.unshare(kernel.CLONE_NEWUSER)
        _tell(outside, "ready")
        if outside.recv(16) != b"go":  # by now the map of users has been written from outside
            os._exit(1)
        os.setresgid(root.USER, root.USER, root.USER)
        os.setresuid(root.USER, root.USER, root.USER)
        kernel.set_dumpable()  # changing the user has taken its own /proc from it
        Path("/proc/self/oom_score_adj").write_text("1000")
        _clear_environment()
        set_limits(bounds)
        kernel.drop_capabilities()
        kernel.die_with_parent(signal.SIGKILL)  # again, as a change of rights cancels it
        calls.refuse_calls()
        os.chdir(root.SCRATCH)
        os.umask(0o077)
        _close_all()
    except BaseException as error:  # noqa: BLE001 - told to whoever waits outside
        _tell(outside, f"failed {error}")
        os._exit(1)
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - the kit's own fault, or something that the submission did to it
        Path(root.EVIDENCE, "fault.txt").write_text(f"{type(error).__name__}: {error}"[:2000])
    finally:
        os._exit(0)


def _tell(outside: socket.socket, text: str, *descriptors: int) -> None:
    with contextlib.suppress(OSError):
        socket.send_fds(outside, [text.encode()[:2000]], descriptors)


def _close_all() -> None:
    """Nothing that the judging process has open stays open here, apart from the standard streams."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _clear_environment() -> None:
    """Nothing of the grader's environment is left, also not where the kernel put it when the program began."""
    stat = Path("/proc/self/stat").read_text()
    rest = stat[stat.rindex(")") + 2 :].split()
    start, end = int(rest[47]), int(rest[48])  # env_start and env_end, see proc(5)
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=root.SCRATCH, TMPDIR=root.SCRATCH, USER="run", LOGNAME="run")
    tempfile.tempdir = None  # it may have been looked up in the grader's own environment
    block = b"".join(f"{name}={value}\0".encode() for name, value in kept.items())
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)
        block = block[: end - start]
        ctypes.memmove(start, block, len(block))
