"""The warm process's side: imports once, then forks for each job it is told of.

It is told of a job by one JSON line on its control socket, {"lesson": NAME, "folder": PLACE, "sandbox": BOOL}, that
comes with the file descriptor to answer on: JSON lines {"running": WHAT} while it goes on, {"notice": SENTENCE} or
{"failed": SENTENCE}, and the end of the stream when it is done. The job and its verdict go by files in PLACE; without
PLACE only what the lesson needs is imported. This process never reads a submission: what one of its forks has read, no
other has in memory.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from looplift.pool.job import Job
from looplift.pool.scratch import clear

_PATIENCE = 2.0  # seconds in which a job must end its runs when it is told to stop
_COLD = """\
import sys
sys.path[:] = {path!r}
from looplift.pool.cold import main
main(*sys.argv[1:])
"""


class Zygote:
    """What has been imported, and which jobs are going on."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._graded: dict[str, Any] = {}
        self._jobs: set[int] = set()
        self._unsafe = ""
        self._told = False

    def serve(self) -> None:
        """Start jobs until the other end of the control socket is closed."""
        while True:
            self._reap()
            if not select.select([self._control], [], [], 0.2)[0]:
                continue
            data, numbers, _, _ = socket.recv_fds(self._control, 65536, 1)
            if not data:
                return
            os.set_inheritable(numbers[0], False)
            with socket.socket(fileno=numbers[0]) as answers:
                self._start(json.loads(data), answers)

    def close(self) -> None:
        """End all jobs: first politely, so that each ends its own runs."""
        for sign, patience in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, _PATIENCE)):
            for pid in self._jobs:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sign)
            until = time.monotonic() + patience
            while self._jobs and time.monotonic() < until:
                self._reap()
                time.sleep(0.01)

    def _reap(self) -> None:
        for pid in list(self._jobs):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            self._jobs.discard(pid)

    def _start(self, request: dict[str, Any], answers: socket.socket) -> None:
        try:
            if not self._unsafe and request["lesson"] not in self._graded:
                say(answers, running="importing what the lesson needs, once")
                self._graded[request["lesson"]] = _imported(request["lesson"])
                self._unsafe = unsafe_to_fork()
        except Exception as error:  # a broken lesson, a broken installation
            say(answers, failed=f"{type(error).__name__}: {error}")
            return
        if "folder" not in request:
            return
        if self._unsafe and not self._told:
            self._told = True
            say(answers, notice=f"each submission imports everything anew, which is slow: {self._unsafe}")
        if self._unsafe:
            self._jobs.add(_cold(request, answers))
            return
        pid = os.fork()
        if pid == 0:
            try:
                self._control.close()
                work(self._graded[request["lesson"]], request, answers)
            except BaseException as error:  # noqa: BLE001 - no space left, or it was told to stop before it began
                say(answers, failed=f"{type(error).__name__}: {error}")
            finally:
                os._exit(1)
        self._jobs.add(pid)


def work(graded: Any, request: dict[str, Any], answers: socket.socket) -> None:
    """Judge the job in `request["folder"]`, in this process; never returns."""
    from looplift.judge.case import Case
    from looplift.judge.child import judge_and_leave
    from looplift.lesson import find_lesson
    from looplift.submission import Submission, read_submission

    os.register_at_fork(after_in_child=answers.close)  # a submission's run has no business with it
    folder = Path(request["folder"])
    job = Job.from_bytes((folder / "job").read_bytes())
    lesson = find_lesson(job.lesson)

    def read() -> Submission:
        path = folder / job.name
        path.write_bytes(job.notebook)
        return read_submission(path, lesson)

    case = Case(lesson, read, job.name, job.sizes_with(graded.task.epochs), sandbox=request["sandbox"])
    place = folder / "work"
    place.mkdir()
    os.chdir(place)
    os.environ["TMPDIR"] = str(place)  # torch's launcher leaves folders there when it is killed
    tempfile.tempdir = None  # to be looked up again, here and in a sandbox
    judge_and_leave(case, graded, folder, lambda what: say(answers, running=what))


def _imported(name: str) -> Any:
    """The graded tests of a lesson, everything that it needs imported and out of the collector's sight."""
    from looplift.judge.warming import warm
    from looplift.lesson import find_lesson

    gc.disable()
    try:
        return warm(find_lesson(name))
    finally:
        gc.freeze()  # a collection would touch, and so copy, every page that the forks share
        gc.enable()


def unsafe_to_fork() -> str:
    """Why this process should not be forked once more, "" when nothing speaks against it."""
    import torch

    tasks = Path("/proc/self/task")
    threads = len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()
    if threads > 1:
        return (
            f"importing started {threads - 1} thread{'s' if threads > 2 else ''}, which a fork would not have"
        )
    if torch.cuda.is_initialized():
        return "importing has initialised CUDA, which no fork can use"
    return ""


def _cold(request: dict[str, Any], answers: socket.socket) -> int:
    """Start a job in a program of its own. Returns its process id."""
    number = answers.fileno()
    command = [
        sys.executable,
        "-c",
        _COLD.format(path=sys.path),
        json.dumps(request),
        str(number),
        str(os.getpid()),
    ]
    return subprocess.Popen(command, pass_fds=[number], stdin=subprocess.DEVNULL).pid


def say(answers: socket.socket, **message: str) -> None:
    """Tell whoever waits for the job; nobody may."""
    with contextlib.suppress(OSError):
        answers.sendall(json.dumps(message).encode() + b"\n")


def end_with(parent: int) -> bool:
    """Let the kernel tell this process to end when its parent does (Linux). False when that is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM), 0, 0, 0)  # PR_SET_PDEATHSIG
    return os.getppid() == parent


def main(number: str, scratch: str, parent: str, sandbox: str = "") -> None:
    """Serve on a control socket; then nothing is left of this process, its jobs and its scratch folder.

    number: the socket's file descriptor. parent: the process to die with, "" where the thread that started this one
    may end before its process does. sandbox: not "" when runs are to be enclosed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever waits; who then ends this process
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if parent and not end_with(int(parent)):
        return
    if sandbox:
        from looplift.sandbox import prepare

        with contextlib.suppress(OSError):  # each run says why it cannot be enclosed
            prepare()
    with socket.socket(fileno=int(number)) as control:
        zygote = Zygote(control)
        try:
            zygote.serve()
        finally:
            pid = os.getpid()
            zygote.close()
            if pid == os.getpid():
                clear(Path(scratch))
                os._exit(0)  # without the seconds that Python takes to clear torch away
