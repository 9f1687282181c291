"""The worker's side: what runs inside a Dask worker. All that goes in and comes out is plain.

A Dask worker runs tasks in threads; a submission never comes near them. It is judged by a warm process, a program of
its own (see looplift.pool), of which one is kept for each grading run, and ended with it or with the Dask worker.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from distributed import get_worker

import looplift
from looplift.cluster.versions import differences, versions
from looplift.fault import KitError
from looplift.pool import Job, Worker

LARGEST = 4_000_000  # bytes of an answer
_IDLE = (
    600.0  # seconds after which a warm process that nothing was asked of is ended, when there is a new one
)
_TRY = """\
import sys
sys.path[:] = [*(it for it in sys.path if it), {root!r}]
from looplift.sandbox import available
print(available())
"""


async def about(sandbox: bool) -> dict[str, Any]:
    """What this worker is: its versions and, where runs are to be enclosed, why they cannot be, or ""."""
    return await asyncio.to_thread(_about, sandbox)


def judge(job: bytes, session: str, sandbox: bool, here: dict[str, str]) -> bytes:
    """Judge a job (`Job.to_bytes`). Returns JSON: `worker`, its address; `versions`; `verdict` or `failed` or neither.

    session: names the grading run; what goes on is told under the topic of that name. here: the versions of whoever
    asks; where they differ nothing is judged, so the answer has neither.
    """
    worker = get_worker()
    there = versions()
    answer = {"worker": worker.address, "versions": there}
    if differences(here, there):
        return json.dumps(answer).encode()
    asked = Job.from_bytes(job)

    def tell(**said: str) -> None:
        worker.log_event(session, {"job": asked.key, "worker": worker.address} | said)

    try:
        kept = _kept.taken(session, sandbox, lambda notice: tell(notice=notice))
        try:
            verdict = kept.judge(asked, lambda what: tell(running=what)).to_json()
        finally:
            _kept.given_back(session)
        if len(verdict) > LARGEST // 2:
            raise KitError(f"the verdict is too long to be sent ({len(verdict)} characters)")
        answer["verdict"] = verdict
    except (KitError, OSError) as error:  # no space left for the job
        answer["failed"] = str(error)[:2000]
    return json.dumps(answer).encode()


async def end(session: str) -> None:
    """End a grading run on this worker, with all that is still being judged for it."""
    await asyncio.to_thread(_kept.end, session)


def _about(sandbox: bool) -> dict[str, Any]:
    return {"versions": versions(), "open": _why_not_enclosed() if sandbox else ""}


def _why_not_enclosed() -> str:
    """Asked in a program of its own: this process has threads, and must not be forked."""
    root = str(Path(looplift.__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-c", _TRY.format(root=root)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return (
        done.stdout.strip() if done.returncode == 0 else f"The sandbox cannot be tried: {done.stderr[-300:]}"
    )


@dataclass
class _Warm:
    """A warm process. going: how many jobs it judges. last: when it was last asked for one."""

    worker: Worker
    going: int = 0
    last: float = field(default_factory=time.monotonic)


class _Kept:
    """The warm processes of this Dask worker, one for each grading run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._warm: dict[str, _Warm] = {}
        self._ended: set[str] = set()
        atexit.register(self.end_all)

    def taken(self, session: str, sandbox: bool, warn: Any) -> Worker:
        """The warm process of a grading run, started when there is none; give it back."""
        with self._lock:
            if session in self._ended:
                raise KitError("grading was stopped")
            if session not in self._warm:
                for name, it in list(self._warm.items()):
                    if not it.going and time.monotonic() - it.last > _IDLE:  # whoever asked was killed
                        self._warm.pop(name).worker.close()
                self._warm[session] = _Warm(Worker(sandbox, warn))
            warm = self._warm[session]
            warm.going, warm.last = warm.going + 1, time.monotonic()
            return warm.worker

    def given_back(self, session: str) -> None:
        with self._lock:
            if session in self._warm:
                self._warm[session].going -= 1

    def end(self, session: str) -> None:
        with self._lock:
            self._ended.add(session)
            warm = self._warm.pop(session, None)
        if warm is not None:
            warm.worker.close()

    def end_all(self) -> None:
        """When the Dask worker ends. Where it is killed, a warm process sees that and ends too."""
        for session in list(self._warm):
            self.end(session)


_kept = _Kept()
