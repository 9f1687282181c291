"""The watch's side of the warm process: start it, ask it, hear what it says, end it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import looplift
from looplift.lesson import Lesson
from looplift.verdict import Verdict

# The working directory is the student's: a random.py of theirs must not be imported in place of Python's own.
_START = """\
import sys
sys.path[:] = [*(it for it in sys.path if it), {root!r}]
from looplift.watching.worker import main
main()
"""
_GRACE = 5.0  # seconds for the warm process to end the runs of a check that is going on


@dataclass(frozen=True)
class Said:
    """One of three: running (what is going on), verdict, or failed (why there is no verdict)."""

    running: str = ""
    verdict: Verdict | None = None
    failed: str = ""


class WarmJudge:
    """A process that stays warm. It is started by the first question, and again when it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: Any = None
        self._rest = b""

    def ask(self, lesson: Lesson, path: Path) -> None:
        """Ask for a verdict on a file. One question at a time: wait for its verdict or failure first."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        request = json.dumps({"lesson": lesson.name, "path": str(path.resolve())}) + "\n"
        with contextlib.suppress(BrokenPipeError):  # it died just now: `hear` says so
            self._process.stdin.write(request.encode())
            self._process.stdin.flush()

    def fileno(self) -> int | None:
        """What to wait on with `select`; None while there is nothing to wait for."""
        return self._process.stdout.fileno() if self._process and self._process.stdout else None

    def hear(self) -> list[Said]:
        """What was said since the last call, without waiting; when the process has died, that it did."""
        if self._process is None or self._process.stdout is None:
            return []
        number = self._process.stdout.fileno()
        dead = self._process.poll() is not None
        if not select.select([number], [], [], 0)[0]:
            return [Said(failed=self._end())] if dead else []
        data = os.read(number, 65536)
        if not data:
            return [Said(failed=self._end())]
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [_said(json.loads(line)) for line in lines]

    def close(self) -> None:
        """End the process and what it runs. Safe to call twice."""
        if self._process is not None:
            self._process.terminate()
            self._end()

    def _start(self) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process is
        self._rest = b""
        root = str(Path(looplift.__file__).resolve().parents[1])
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(root=root)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints,
            start_new_session=True,  # Ctrl-C in the terminal is for the watch, which then ends this
        )  # fmt: skip

    def _end(self) -> str:
        """Wait for the process, or kill it; why it ended, as far as it said so."""
        process, self._process = self._process, None
        assert process is not None and process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().split("\n")
        self._complaints.close()
        why = lines[-1] or f"code {process.returncode}"
        return f"the checking process ended ({why}). Save again to start it anew."


def _said(message: dict[str, Any]) -> Said:
    if "verdict" in message:
        return Said(verdict=Verdict.from_json(json.dumps(message["verdict"])))
    return Said(running=message.get("running", ""), failed=message.get("failed", ""))
