"""What happened, as JSON lines: one file for each process, one write for each event.

Nothing is lost when a rank hangs, calls `os._exit` or is killed, and a fork needs nothing: the file is chosen by
process id at each write.

A journal with a key seals each line: a tab and a keyed hash of it, and the number of the line in it. So a line that
something else wrote, changed or took out is noticed by whoever reads with the same key. The key itself is kept only in
the state of a hash; a program that finds the journal can still have it write.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path
from types import CodeType
from typing import Any

from looplift.evidence.shape import well_formed
from looplift.sandbox.files import OddFileError, read_plain

MOST_OF_A_KIND = 4000  # events of one kind a process writes; an endless loop must not fill the disk
LARGEST = 8 << 20  # bytes of one process's file; a right run writes a hundredth of that
MOST_FILES = 300
_SEAL = 8  # bytes
_AT_THE_END = (
    16  # lines that may be missing at the end of a file: a process was ended between numbering and writing
)

# What may be wrong with a record, each a sentence.
FORGED = "something else wrote into the record of its run"
MISSING = "lines of the record of its run were taken out"
TOO_LARGE = "the record of its run grew too large"

_NAME = re.compile(r"events-(\d{1,9})\.jsonl")
Event = dict[str, Any]


class Seal:
    """Seals the lines of one process. Two with the same key and process id seal alike."""

    def __init__(self, key: bytes, pid: int) -> None:
        own = hashlib.blake2b(str(pid).encode(), key=key, digest_size=32).digest()
        self._state = hashlib.blake2b(key=own, digest_size=_SEAL)

    def of(self, line: bytes) -> bytes:
        state = self._state.copy()
        state.update(line)
        return state.hexdigest().encode()


class Journal:
    """Writes events of the current process into `folder`, sealed when there is a key."""

    def __init__(self, folder: Path, key: bytes = b"", only_for: CodeType | None = None) -> None:
        """only_for: the code that may ask for lines; that something else did is written down, too."""
        self.folder = folder
        self._key = key
        self._only_for = only_for
        self._pid = -1
        self._file = -1
        self._seal: Seal | None = None
        self._written: Counter[str] = Counter()
        self._numbers = itertools.count()

    def note(self, kind: str, **fields: Any) -> None:
        """Append one event: its kind, when (seconds, monotonic), the process, the rank when there is one."""
        pid = os.getpid()
        if pid != self._pid:
            self._begin(pid)
        if self._only_for is not None and sys._getframe(1).f_code is not self._only_for:
            self._write("forged", pid, {})
        self._write(kind, pid, fields)

    def _write(self, kind: str, pid: int, fields: dict[str, Any]) -> None:
        self._written[kind] += 1
        if self._written[kind] > MOST_OF_A_KIND:
            return
        event = {"kind": kind, "at": time.monotonic(), "pid": pid, **fields}
        if self._seal is None:
            os.write(self._file, (json.dumps(event, default=repr) + "\n").encode())
            return
        event["n"] = next(self._numbers)
        line = json.dumps(event, default=repr).encode()
        os.write(self._file, line + b"\t" + self._seal.of(line) + b"\n")

    def _begin(self, pid: int) -> None:
        """This is the first event of a process: the first of all, or the first after a fork."""
        self._pid, self._written, self._numbers = pid, Counter(), itertools.count()
        self._seal = Seal(self._key, pid) if self._key else None
        flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC
        self._file = os.open(self.folder / f"events-{pid}.jsonl", flags, 0o600)


class Reader:
    """Reads the journals in a folder, each time only what is new. What was written there may be anyone's doing.

    With a key only sealed events count. `faults` says in a few words what else was found; it stays empty where
    there is nothing to say.
    """

    def __init__(self, folder: Path, key: bytes = b"") -> None:
        self.folder = folder
        self._key = key
        self._journals: dict[int, _Read] = {}
        self._crowded = False

    @property
    def faults(self) -> list[str]:
        found = [it.fault for it in self._journals.values()] + [TOO_LARGE if self._crowded else ""]
        return sorted({it for it in found if it})

    @property
    def size(self) -> int:
        """Bytes read so far."""
        return sum(it.offset for it in self._journals.values())

    def new(self) -> list[Event]:
        """Events since the last call, in time order. A last line that is not whole yet waits."""
        events: list[Event] = []
        for pid in _process_ids(self.folder):
            if pid not in self._journals and len(self._journals) >= MOST_FILES:
                self._crowded = True
                break
            journal = self._journals.setdefault(pid, _Read(pid, self._key))
            events += journal.new(self.folder / f"events-{pid}.jsonl")
        return sorted(events, key=lambda event: float(event["at"]))

    def all(self) -> list[Event]:
        """Every event, once the processes are gone; then missing lines are a fault, too."""
        events = self.new()
        for pid, journal in self._journals.items():
            events += journal.new(self.folder / f"events-{pid}.jsonl", last=True)
            journal.look_for_gaps()
        return sorted(events, key=lambda event: float(event["at"]))


def _process_ids(folder: Path) -> list[int]:
    names = (_NAME.fullmatch(name) for name in os.listdir(folder))
    return sorted(int(it[1]) for it in names if it)


class _Read:
    """How far one process's file has been read, and what was wrong with it."""

    def __init__(self, pid: int, key: bytes) -> None:
        self.offset = 0
        self.fault = ""
        self._pid = pid
        self._seal = Seal(key, pid) if key else None
        self._numbers: set[int] = set()

    def new(self, path: Path, last: bool = False) -> list[Event]:
        """Events of whole lines; with `last` of an unfinished one, too, if it can be read."""
        data = self._rest(path)
        whole, newline, rest = data.rpartition(b"\n")
        self.offset += len(whole) + len(newline)
        if last:
            event = self._event(rest) if rest else None  # a line that a kill cut short is nobody's fault
            return [event] if event is not None else []
        events = []
        for line in whole.split(b"\n"):
            event = self._event(line) if line else None
            if event is not None:
                events.append(event)
            elif line and self._seal is not None:
                self.fault = self.fault or FORGED
        return events

    def _rest(self, path: Path) -> bytes:
        try:
            return read_plain(path, LARGEST, self.offset)
        except OddFileError as error:
            said = str(error)
            fault = TOO_LARGE if "too large" in said else MISSING if "shorter" in said else FORGED
            self.fault = self.fault or fault
            return b""

    def _event(self, line: bytes) -> Event | None:
        if self._seal is not None:
            line, _, seal = line.rpartition(b"\t")
            if seal != self._seal.of(line):
                return None
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(event, dict) or "kind" not in event or "at" not in event:
            return None
        if self._seal is not None:
            number = event.get("n")
            if event.get("pid") != self._pid or not isinstance(number, int) or number in self._numbers:
                return None
            if not well_formed(event):
                return None
            self._numbers.add(number)
        return event

    def look_for_gaps(self) -> None:
        """Lines are numbered. The last few may be missing, where a process was ended before it could write them."""
        if len([it for it in self._numbers if it < self._settled]) < self._settled:
            self.fault = self.fault or MISSING

    @property
    def _settled(self) -> int:
        return max(0, max(self._numbers, default=-1) + 1 - _AT_THE_END)
