"""Sending jobs to a cluster and taking what comes back, not more at once than its workers can use."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any

from distributed import CancelledError, Future
from distributed.scheduler import KilledWorker

from looplift.cluster.answer import read_answer
from looplift.cluster.cluster import GONE, Cluster
from looplift.cluster.versions import differences
from looplift.fault import KitError
from looplift.pool import Job, Tell
from looplift.verdict import Verdict
from looplift.verdict.text import visible

Outcome = tuple[Job, "Verdict | KitError"]

_AHEAD = 2  # jobs out for each thread of a worker: one is judged, the next is there already
_OUT = 64_000_000  # bytes of notebooks out at once; more only when it is a single one
_TRIES = 3  # how often a job is sent, apart from what Dask does when a worker dies
_GATHER = 20.0  # seconds for a verdict to come over
_LOOK = 1.0  # seconds between two looks at who is there


@dataclass(frozen=True)
class _Sent:
    """A job that is out, or will be. key: names it on the cluster, where the verdict's own key is not told.
    workers: those it was sent to. avoid: those where it failed. tries: how often it was sent."""

    job: Job
    number: int
    workers: frozenset[str] = frozenset()
    avoid: frozenset[str] = frozenset()
    tries: int = 0

    @property
    def request(self) -> bytes:
        return replace(self.job, key=str(self.number)).to_bytes()


@dataclass
class Dispatch:
    """The jobs of one grading run. processes: how many may be out, 0 for what the workers can use."""

    cluster: Cluster
    processes: int = 0
    _going: dict[Future, _Sent] = field(default_factory=dict)
    _waiting: deque[_Sent] = field(default_factory=deque)  # to be sent again
    _ended: deque[Outcome] = field(default_factory=deque)
    _heard: SimpleQueue[Any] = field(default_factory=SimpleQueue)
    _noticed: set[str] = field(default_factory=set)
    _number: int = 0
    _looked: float = 0.0

    def verdicts(self, jobs: Iterable[Job], tell: Tell) -> Iterator[Outcome]:
        """The verdict on each job, or why there is none, as they come. Raises KitError when the cluster is lost."""
        self.cluster.require_likeness()
        self.cluster.hear(self._heard.put)
        coming, more = iter(jobs), True
        while True:
            self._look()
            while more and self._room() and not self._waiting:
                more = self._take(coming)
            self._send()
            while self._ended:
                yield self._ended.popleft()
            if not (more or self._going or self._waiting):
                return
            for future in self._news(tell):
                yield from self._finished(future)

    def close(self) -> None:
        """Call off what is out."""
        self.cluster.close(self._going)

    def _take(self, coming: Iterator[Job]) -> bool:
        """Take the next job, to be sent. False when there is none."""
        for job in coming:
            self._number += 1
            self._waiting.append(_Sent(job, self._number))
            self._send()
            return True
        return False

    def _room(self) -> bool:
        size = sum(len(it.job.notebook) for it in self._going.values())
        most = self.processes or _AHEAD * sum(self.cluster.threads.values())
        return len(self._going) < most and (size < _OUT or not self._going)

    def _send(self) -> None:
        """Send what waits to be sent, to those who are fit."""
        while self._waiting and self._room():
            sent = self._waiting.popleft()
            fit = frozenset(self.cluster.threads)
            workers = fit - sent.avoid or fit
            key = f"looplift-{self.cluster.session}-{sent.number}-{sent.tries}"
            future = self.cluster.send(key, sent.request, workers)
            self._going[future] = replace(sent, workers=workers, tries=sent.tries + 1)
            future.add_done_callback(self._heard.put)

    def _again(self, sent: _Sent, why: str, avoid: str = "") -> None:
        """Send a job once more, if that has not been done too often."""
        if sent.tries < _TRIES:
            self._waiting.append(replace(sent, avoid=sent.avoid | {avoid} if avoid else sent.avoid))
        else:
            self._ended.append((sent.job, KitError(why)))

    def _look(self) -> None:
        """See who is there, now and then. What was sent to nobody who is still there is sent again."""
        self.cluster.require_scheduler()
        if time.monotonic() - self._looked < _LOOK:
            return
        self._looked = time.monotonic()
        self.cluster.look()
        for future, sent in list(self._going.items()):
            if not sent.workers & self.cluster.present and not future.done():
                del self._going[future]
                future.cancel()
                self._again(sent, "every worker that it was sent to was lost")

    def _news(self, tell: Tell) -> list[Future]:
        """Wait a moment for news. Passes on what workers tell; returns what is done."""
        done = []
        try:
            news = self._heard.get(timeout=_LOOK / 2)
            while True:
                if isinstance(news, Future):
                    done.append(news)
                else:
                    self._pass_on(news, tell)
                news = self._heard.get_nowait()
        except Empty:
            return done

    def _pass_on(self, news: Any, tell: Tell) -> None:
        """What a worker tells comes from another machine: only what is expected is passed on."""
        if not isinstance(news, dict) or not all(isinstance(it, str) for it in news.values()):
            return
        if "notice" in news:
            notice = f"on {news.get('worker', 'a worker')}: {news['notice']}"[:400]
            if notice not in self._noticed and len(self._noticed) < 100:
                self._noticed.add(notice)
                self.cluster.warn(visible(notice))
        for sent in self._going.values():
            if "running" in news and news.get("job") == str(sent.number):
                tell(sent.job, visible(news["running"][:100]))

    def _finished(self, future: Future) -> Iterator[Outcome]:
        """What came of a job; nothing when it is sent again or was called off."""
        if future not in self._going:
            return
        data: Any = None
        try:
            error = future.exception(timeout=_GATHER)
            if error is None:
                data = future.result(timeout=_GATHER)
        except (*GONE, CancelledError) as gone:
            self.cluster.require_scheduler()
            if not future.cancelled():  # a verdict was lost with its worker: Dask has it made again
                future.add_done_callback(self._heard.put)
                return
            error = gone
        sent = self._going.pop(future)
        if isinstance(error, KilledWorker):
            died = error.allowed_failures + 1
            yield sent.job, KitError(f"{died} worker{'s' if died > 1 else ''} died while it was judged")
        elif error is not None:
            self.cluster.doubt()  # such as a worker without looplift, which came after the others
            self._again(sent, f"the cluster could not judge it ({type(error).__name__}: {str(error)[:200]})")
        else:
            yield from self._answered(sent, data)

    def _answered(self, sent: _Sent, data: Any) -> Iterator[Outcome]:
        try:
            answer = read_answer(data, sent.job)
        except ValueError as error:
            self._again(sent, f"what came back is no verdict on it: {error}")
            return
        other = differences(self.cluster.here, answer.versions)
        if other:
            self.cluster.refuse(answer.worker, f"the worker at {visible(answer.worker)} has {visible(other)}")
            self._again(sent, "only workers with other versions answered")
        elif isinstance(answer.made, Verdict):
            yield sent.job, answer.made
        elif self.cluster.threads.keys() - sent.avoid - {answer.worker} and sent.tries < _TRIES:
            self._again(sent, "", avoid=answer.worker)  # its disk may be full; another worker may be fine
        else:
            yield sent.job, answer.made or KitError("the worker gave no verdict")
