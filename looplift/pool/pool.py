"""Judging many jobs, several at once, on this machine."""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from looplift.fault import KitError
from looplift.pool.job import Job
from looplift.pool.worker import Asked, Worker
from looplift.verdict import Verdict

Tell = Callable[[Job, str], None]  # what is being run for a job, in a few words
# Makes the verdicts on jobs, or says why there is none, in any order: in warm processes here, on other machines.
# The jobs of a large class do not fit into memory: it should take them as it can use them.
Judges = Callable[[Iterable[Job], Tell], Iterator[tuple[Job, Verdict | KitError]]]

_LOST = 2  # how often a job is asked again after the warm process was killed


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def verdicts(
    worker: Worker, jobs: Iterable[Job], processes: int = 0, tell: Tell = lambda job, what: None
) -> Iterator[tuple[Job, Verdict | KitError]]:
    """The verdict on each job, or why there is none, as they are done, in any order.

    Jobs are taken from `jobs` as they can be begun. processes: how many at once, by default one for each core.
    tell: told what is being run for which job. When the caller stops asking, what goes on goes on: close the worker.
    """
    coming, more = iter(jobs), True
    waiting: deque[tuple[Job, int]] = deque()  # what was lost, and the next job
    going: dict[int, tuple[Asked, int]] = {}
    while more or waiting or going:
        while len(going) < (processes or cores()):
            if not waiting:
                waiting.extend((job, 0) for job in islice(coming, 1))
            if not waiting:
                more = False
                break
            job, lost = waiting.popleft()
            try:
                asked = worker.ask(job)
            except (KitError, OSError) as error:  # no space left for the job's folder
                yield job, error if isinstance(error, KitError) else KitError(str(error))
                continue
            going[asked.fileno()] = (asked, lost)
        if not going:
            continue
        for number in select.select(list(going), [], [], 1.0)[0] or list(going):
            asked, lost = going[number]
            for what in asked.hear():
                tell(asked.job, what)
            if not asked.done:
                continue
            del going[number]
            if asked.lost and lost < _LOST:
                waiting.append((asked.job, lost + 1))
                continue
            yield asked.job, _outcome(asked)


def _outcome(asked: Asked) -> Verdict | KitError:
    try:
        return asked.outcome()
    except KitError as error:
        return error
