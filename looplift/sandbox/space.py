"""The judging process's own part: the right to make namespaces, and a process namespace for its next child."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from looplift.sandbox import kernel

NOBODY = 65534  # whom a run belongs to when root grades: root itself could write to /proc/sys

_prepared = False  # forks of a prepared process are prepared, too


def prepare() -> None:
    """Let this process, and all that it forks, make rooms. Once is enough; root needs nothing.

    For anybody else the process **goes on in a child** that owns a user and a process namespace, where it is process 1
    and files and users are as they were. The process that called stays as a shell: it passes signals on and ends as
    its child ends. So call it as early as can be, before the process has grown, and with one thread only.
    Raises OSError when the kernel does not allow it.
    """
    global _prepared
    if _prepared or os.geteuid() == 0:
        return
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID | kernel.CLONE_NEWNS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    child = os.fork()
    if child:
        _wait_for(child)
    kernel.die_with_parent(signal.SIGKILL)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    _prepared = True


def _wait_for(child: int) -> None:
    """Stand in for the child until it ends; never returns."""
    for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(sign) != signal.SIG_IGN:
            signal.signal(sign, lambda number, _: os.kill(child, number))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    os._exit(code)


def owner() -> tuple[int, int]:
    """User and group that the runs of this process belong to outside."""
    return (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())


@contextmanager
def of_processes() -> Iterator[None]:
    """The next child of this process is the first of a new process namespace: when it ends, all there ends.

    So a run takes one fork, as it does without a room: copying a process that has imported torch costs more than all
    the namespaces together.
    """
    own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    here = os.getpid()
    try:
        kernel.unshare(kernel.CLONE_NEWPID)
        try:
            yield
        finally:
            if os.getpid() == here:
                kernel.join(own, kernel.CLONE_NEWPID)
    finally:
        os.close(own)
