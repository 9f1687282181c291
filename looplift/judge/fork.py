"""Judge in a forked process: nothing is imported again, and nothing of one submission stays for the next."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from looplift.evidence import KitError
from looplift.judge.case import Case
from looplift.judge.child import judge_and_leave
from looplift.judge.graded import GradedTests, load_graded
from looplift.judge.warming import warm, warm_launch
from looplift.verdict import Verdict
from looplift.verdict.left import left

__all__ = ["Case", "judge_apart", "require_fork", "warm", "warm_launch"]


def require_fork() -> None:
    """Raises KitError where processes cannot be forked."""
    if not hasattr(os, "fork"):
        raise KitError(
            "looplift runs training in forked processes and this system has no fork: use Linux, macOS or WSL."
        )


def judge_apart(case: Case, progress: Callable[[str], None] | None = None) -> Verdict:
    """Judge in a forked process and wait for it. Nothing that the submission starts survives.

    Raises KitError, its reason in one sentence, when the kit or the machine fails; LessonError when the lesson's own
    files are broken.
    """
    require_fork()
    graded = load_graded(case.lesson)
    folder = Path(tempfile.mkdtemp(prefix="looplift-"))
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        _work(case, graded, folder, write_end)
    os.close(write_end)
    try:
        _wait(pid, read_end, progress or (lambda _: None))
        return left(folder)
    finally:
        os.close(read_end)
        _end(pid)
        shutil.rmtree(folder, ignore_errors=True)


def _work(case: Case, graded: GradedTests, folder: Path, write_end: int) -> None:
    """The forked side: never returns."""

    def tell(what: str) -> None:
        with contextlib.suppress(OSError):
            os.write(write_end, (what + "\n").encode())

    judge_and_leave(case, graded, folder, tell)


def _wait(pid: int, read_end: int, progress: Callable[[str], None]) -> None:
    """Pass progress on until the process is gone. A stray child that holds the pipe open is not waited for."""
    rest = b""
    while True:
        ready, _, _ = select.select([read_end], [], [], 0.02)
        if ready:
            data = os.read(read_end, 4096)
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                progress(line.decode(errors="replace"))
            if not data:
                os.waitpid(pid, 0)
                return
        else:
            done, _ = os.waitpid(pid, os.WNOHANG)
            if done:
                return


def _end(pid: int) -> None:
    """End the judging process if it is still there (an interrupt, an error while waiting), and all its runs."""
    for sign, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0)):
        try:
            os.kill(pid, sign)
        except ProcessLookupError:
            return
        until = time.monotonic() + patience
        while time.monotonic() < until:
            try:
                done, _ = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                return
            if done:
                return
            time.sleep(0.01)
