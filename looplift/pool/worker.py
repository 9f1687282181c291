"""A worker: a warm process of its own that judges jobs, each in a fork of it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import looplift
from looplift.fault import KitError
from looplift.pool.job import Job
from looplift.pool.scratch import Scratch
from looplift.verdict import Verdict
from looplift.verdict.left import has_left, left

# Not `-m`: that would import from the working directory first, which may hold files of students.
_START = """\
import sys
sys.path[:] = [*(it for it in sys.path if it), {root!r}]
from looplift.pool.zygote import main
main(*sys.argv[1:])
"""
_GRACE = 6.0  # seconds for the warm process to end what it runs
_AT_MOST = 1800.0  # seconds by the clock; the engine ends runs by their processor time, long before
_LONGEST = 1_000_000  # bytes of answers that are kept
_STARTS = 3  # how often a warm process is started for one job; something may have killed it


class Worker:
    """A warm process. What it has in memory, each of its forks has: it is a program of its own, and reads nothing.

    sandbox: whether each run of a submission is enclosed, see looplift.sandbox. warn: told, in a sentence, what the
    instructor should know, such as that nothing can be kept warm here.
    `judge` may be called from several threads at once: each job is then judged in a process of its own at once.
    """

    def __init__(self, sandbox: bool, warn: Callable[[str], None] = lambda sentence: None) -> None:
        self.sandbox = sandbox
        self._warn = warn
        self._asking = threading.Lock()
        self._scratch = Scratch()
        self._closed = False
        self._start()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def judge(self, job: Job, tell: Callable[[str], None] | None = None) -> Verdict:
        """Judge a job and wait for the verdict. tell: told in a few words what is being run.

        Raises KitError when the kit or the machine fails.
        """
        for _ in range(_STARTS):
            asked = self.ask(job)
            while not asked.done:
                select.select([asked], [], [], 1.0)
                for what in asked.hear():
                    (tell or (lambda _: None))(what)
            if not asked.lost:
                return asked.outcome()
        raise KitError("the process that judges was killed again and again; try again")

    def prepare(self, lesson: str) -> None:
        """Begin to import what a lesson needs, without waiting for it; what is wrong with it a job will tell."""
        ours, theirs = socket.socketpair()
        with ours, theirs, self._asking, contextlib.suppress(OSError):
            request = {"lesson": lesson, "sandbox": self.sandbox}
            socket.send_fds(self._control, [json.dumps(request).encode()], [theirs.fileno()])

    def ask(self, job: Job) -> Asked:
        """Begin to judge a job, without waiting for it. Raises KitError when the worker is closed."""
        ours, theirs = socket.socketpair()
        with theirs, self._asking:
            if self._closed:
                raise KitError("the process that judges has been ended")
            if self._process.poll() is not None:
                self._control.close()
                self._scratch.remove()
                self._scratch = Scratch()
                self._start()
            folder = Path(tempfile.mkdtemp(prefix="job-", dir=self._scratch.folder))
            (folder / "job").write_bytes(job.to_bytes())
            request = {"lesson": job.lesson, "folder": str(folder), "sandbox": self.sandbox}
            with contextlib.suppress(BrokenPipeError):  # it died just now: the answer's stream ends at once
                socket.send_fds(self._control, [json.dumps(request).encode()], [theirs.fileno()])
        return Asked(job, folder, ours, self._process, self._warn)

    def close(self) -> None:
        """End the process and everything that it runs. Safe to call twice, and from another thread."""
        with self._asking:
            if self._closed:
                return
            self._closed = True
        self._control.close()
        try:
            self._process.terminate()
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._scratch.remove()

    def _start(self) -> None:
        root = str(Path(looplift.__file__).resolve().parents[1])
        self._control, theirs = socket.socketpair()
        main = threading.current_thread() is threading.main_thread()
        arguments = [str(theirs.fileno()), str(self._scratch.folder), str(os.getpid()) if main else ""]
        arguments.append("sandbox" if self.sandbox else "")
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START.format(root=root), *arguments],
                pass_fds=[theirs.fileno()],
                cwd=self._scratch.folder,
                env=os.environ | {"OMP_NUM_THREADS": "1", "TMPDIR": str(self._scratch.folder)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=None if os.environ.get("LOOPLIFT_DEBUG") else subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in the terminal is for this process, which then ends that one
            )


class Asked:
    """A job that is being judged. `select` waits on it for something to hear."""

    def __init__(
        self,
        job: Job,
        folder: Path,
        answers: socket.socket,
        process: subprocess.Popen[bytes],
        warn: Callable[[str], None],
    ) -> None:
        self.job = job
        self.done = False
        self._warn = warn
        self._folder, self._answers, self._process = folder, answers, process
        self._rest = b""
        self._failed = ""
        self._until = time.monotonic() + _AT_MOST

    def fileno(self) -> int:
        return self._answers.fileno()

    def hear(self) -> list[str]:
        """What was said since the last call, without waiting. Sets `done` when there is no more to hear."""
        said = []
        while not self.done and select.select([self._answers], [], [], 0)[0]:
            try:
                data = self._answers.recv(65536)
            except ConnectionResetError:  # the process died with the request unread
                data = b""
            self.done = not data
            *lines, self._rest = (self._rest + data)[-_LONGEST:].split(b"\n")
            said += [it for it in map(self._understood, lines) if it]
        if not self.done and time.monotonic() > self._until:
            self._failed = f"no verdict within {_AT_MOST / 60:g} minutes"
            self.done = True
        if self.done:
            self._answers.close()
        return said

    def _understood(self, line: bytes) -> str:
        """What is being run, when a line tells that. A line that makes no sense is not worth a class's grades."""
        try:
            message = json.loads(line)
            self._failed = str(message.get("failed", self._failed))
            if "notice" in message:
                self._warn(str(message["notice"]))
            return str(message.get("running", ""))
        except (ValueError, AttributeError):
            return ""

    @property
    def lost(self) -> bool:
        """True when the warm process ended before the job was done: then it can be asked again."""
        if self._failed or has_left(self._folder):
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        return self._process.poll() is not None

    def outcome(self) -> Verdict:
        """The verdict, once it is done; what was left for it is removed. Raises KitError when there is none."""
        try:
            if self._failed:
                raise KitError(self._failed)
            return left(self._folder)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
