"""Watch a run from outside: notice a deadlock or an endless loop within seconds, end everything it started.

Deadlines count what the run itself does, never the machine's mood: processor time that its processes used, and time in
which all of them were seen asleep. A process in state R that uses no time waits for a core, which is nobody's fault.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from looplift.evidence.journal import TOO_LARGE, Event, Reader
from looplift.evidence.session import Session, adopt_orphans, die_with_parent, end_children
from looplift.evidence.stacks import Frames, any_waiting, stacks_of
from looplift.sandbox.processes import LINUX, Alive, session_of

__all__ = ["Limits", "Outcome", "adopt_orphans", "die_with_parent", "end_children", "fork_and_watch", "session_of",
           "watch"]  # fmt: skip

_LOOK = 0.1  # seconds between two looks at the processes
_LONGEST_LOOK = 0.2  # what a look counts for at most: where the watcher waits for a core, so may the run


@dataclass(frozen=True)
class Limits:
    """When to stop a run, in seconds.

    processor: time used in all. silent: time used without a single new event. asleep: time in which nothing of it ran
    or wanted to. idle: the same for all ranks, some of which wait for each other. after_error: how long the others may
    go on after one raised. clock: by the clock, where there is no /proc. longest: by the clock, whatever happens.
    A right loop needs about 1 s of processor time and writes an event every few milliseconds.
    """

    processor: float = 20.0
    silent: float = 5.0
    asleep: float = 30.0
    idle: float = 2.0
    after_error: float = 1.0
    clock: float = 90.0
    longest: float = 600.0


@dataclass(frozen=True)
class Outcome:
    """How a run ended: `ended` by itself, `hung` (all ranks waiting) or `endless` (limit reached).

    stacks: for each rank that was still there, (file, line, function) frames, innermost first. events: its record, as
    it was read while it was written; None when nobody read it. smells: what was odd, each in a few words. doubts: why
    the record cannot be believed.
    """

    how: str
    code: int | None = None
    stacks: dict[int, Frames] = field(default_factory=dict)
    events: tuple[Event, ...] | None = None
    smells: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


Told = Callable[[list[Event]], None]


class Watched(Protocol):
    """A run that goes on: a `Session`, or a `sandbox.Room`. folder: where it writes its record."""

    folder: Path

    def poll(self) -> int | None: ...
    def processes(self) -> list[Alive]: ...
    def signal(self, pid: int, sign: int) -> None: ...
    def too_much(self, processes: list[Alive]) -> str: ...
    def end(self) -> None: ...


def fork_and_watch(
    work: Callable[[], None], folder: Path, limits: Limits, key: bytes = b"", told: Told | None = None
) -> Outcome:
    """Run `work` in a forked process with a session of its own, watch it to its end, and end that session."""
    return watch(Session(work, folder), limits, key, told)


def watch(run: Watched, limits: Limits, key: bytes = b"", told: Told | None = None) -> Outcome:
    """Watch a run to its end, and end all of it. key: what its record is sealed with. told: given what is new in it."""
    looking = _Looking(run, limits, Reader(run.folder, key), told)
    try:
        outcome = looking.to_the_end()
    finally:
        run.end()
    looking.events += looking.reader.all()
    smells = (*outcome.smells, *looking.reader.faults, *looking.never_there())
    return replace(
        outcome, events=tuple(sorted(looking.events, key=lambda it: float(it["at"]))), smells=smells
    )


@dataclass
class _Look:
    """What was seen at one moment. began, ended: the clock before and after."""

    began: float
    ended: float
    processes: frozenset[int]


class _Looking:
    """One run, looked at again and again."""

    def __init__(self, run: Watched, limits: Limits, reader: Reader, told: Told | None = None) -> None:
        self.run, self.limits, self.reader = run, limits, reader
        self._told: Told = told or (lambda _: None)
        self.events: list[Event] = []
        self.ranks: dict[int, int] = {}  # process id -> rank
        self.looks: list[_Look] = []
        self._failed = False
        self._ticks: dict[int, float] = {}
        self._idle = self._gone = self._asleep = self._since_error = self._clock = 0.0
        self._size, self._used, self._used_before = 0, 0.0, 0.0

    def to_the_end(self) -> Outcome:
        looked = time.monotonic()
        while True:
            code = self.run.poll()
            if code is not None:
                return Outcome("ended", code)
            now = time.monotonic()
            if now - looked < _LOOK:
                time.sleep(0.004)
                continue
            self._clock += now - looked
            outcome = self._look(min(now - looked, _LONGEST_LOOK))
            if outcome is not None:
                return outcome
            looked = now

    def _look(self, passed: float) -> Outcome | None:
        """One look, `passed` seconds after the last. What to end the run with, None when it may go on."""
        began = time.monotonic()
        everything = self.run.processes()
        self.looks.append(_Look(began, time.monotonic(), frozenset(it.pid for it in everything)))
        self._read()
        processes = [it for it in everything if it.state not in "ZX"]
        stopped = self.run.too_much(processes)
        if not stopped and TOO_LARGE in self.reader.faults:
            stopped = "a larger record than there is room for"
        if stopped:
            return Outcome("ended", None, self._stacks(), smells=(f"it took {stopped} and was stopped",))
        watched = _with_descendants(self.ranks, processes)
        self._measure(everything, watched, passed)
        return self._decide()

    def _read(self) -> None:
        new = list(self.reader.new())
        self._told(new)
        for event in new:
            self.events.append(event)
            if event["kind"] == "rank":
                self.ranks[int(event["pid"])] = int(event["rank"])
            elif event["kind"] == "raised":
                self._failed = True

    def _measure(self, everything: list[Alive], watched: list[Alive], passed: float) -> None:
        used = max(self._used, sum(it.used + it.reaped for it in everything))
        ranks_run = any(it.state in "RD" or it.used != self._ticks.get(it.pid) for it in watched)
        anything_runs = ranks_run or used != self._used or any(it.state in "RD" for it in everything)
        self._idle = 0.0 if ranks_run or not watched else self._idle + passed
        self._gone = 0.0 if watched or not self.ranks else self._gone + passed
        self._asleep += 0.0 if anything_runs else passed
        self._since_error += passed if self._failed else 0.0
        self._ticks = {it.pid: it.used for it in watched}
        self._used = used
        if self.reader.size != self._size:
            self._size, self._used_before = self.reader.size, used

    def _decide(self) -> Outcome | None:
        limits = self.limits
        busy = self._used > limits.processor or self._used - self._used_before > limits.silent
        late = self._asleep > limits.asleep if LINUX else self._clock > limits.clock
        if busy or late or self._clock > limits.longest:
            return Outcome("endless", None, self._stacks())
        if self._since_error > limits.after_error:
            return Outcome("ended", None, self._stacks())
        if self._gone > limits.after_error:
            return Outcome("ended")  # all ranks are gone, but what they started keeps the launcher waiting
        if self._idle > limits.idle:
            stacks = self._stacks()
            if any_waiting(stacks.values()):
                return Outcome("hung", None, stacks)
            self._idle = 0.0
        return None

    def _stacks(self) -> dict[int, Frames]:
        there = {it.pid for it in self.run.processes() if it.state not in "ZX"}
        ranks = {pid: rank for pid, rank in self.ranks.items() if pid in there or not LINUX}
        return stacks_of(ranks, self.run.folder, lambda pid: self.run.signal(pid, signal.SIGUSR1))

    def never_there(self) -> list[str]:
        """A smell when a process that is said to have been a rank for a time was not there in that time."""
        if not LINUX:
            return []
        lived: dict[int, tuple[float, float]] = {}
        for event in self.events:
            pid, at = int(event.get("pid", 0)), float(event["at"])
            if event["kind"] == "rank":
                lived[pid] = (at, at)
            elif pid in lived:
                lived[pid] = (lived[pid][0], at)
        for pid, (first, last) in lived.items():
            if any(first < it.began and it.ended < last and pid not in it.processes for it in self.looks):
                return ["the record of its run tells of a process that never was"]
        return []


def _with_descendants(ranks: dict[int, Any], processes: list[Alive]) -> list[Alive]:
    """The ranks among the processes, and all that they started: a rank may wait for a worker that works."""
    found = {it.pid for it in processes if it.pid in ranks}
    more = True
    while more:
        new = {it.pid for it in processes if it.parent in found} - found
        found |= new
        more = bool(new)
    return [it for it in processes if it.pid in found]
