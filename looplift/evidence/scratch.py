"""Where the loop of a tracked task keeps its files: a log, and rows that are prepared once."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from looplift.evidence.recorder import Recorder

_LONGEST = 3.0  # seconds; how long preparing takes where nothing is seen of another rank


class Scratch:
    """A folder of a run's own, and the stand-in for a file of prepared rows in it, which no run begins with.

    Whoever asks for rows while the file is not there prepares them. That takes until each other rank has asked too,
    or waits for this one in a collective call. So two ranks that do not wait for each other both prepare, on any
    machine and at any load; and where one waits, no time is lost.
    """

    def __init__(self, recorder: Recorder, processes: int, within: Path | None) -> None:
        """within: the folder to make it in, the system's own for temporary files when None."""
        recorder.tracked = True
        self.folder = Path(tempfile.mkdtemp(prefix="scratch-", dir=within)).resolve()
        self.log_folder = self.folder / "log"
        self._recorder = recorder
        self._processes = processes
        self._rows = self.folder / "rows"
        self._waits = 0  # collective calls that this rank has entered
        os.chdir(self.folder)  # a log in a folder without a path goes here, not among a student's own files

    def ask(self) -> None:
        """Called for rows: prepare them unless that has been done. A cell that looks at rows before the launch keeps
        none."""
        if self._recorder.rank is None:
            return
        there = self._rows.exists()
        (self.folder / f"came-{self._recorder.rank}").touch()
        self._recorder.note("rows asked", there=there, where=self._recorder.where())
        if there:
            return
        until = time.monotonic() + _LONGEST
        while time.monotonic() < until and not self._others_seen():
            # A rank that is asleep for two seconds while others wait for it is taken for hung.
            sum(range(20_000))
            time.sleep(0.001)
        self._rows.touch()

    def entered(self) -> None:
        """This rank enters a call in which it waits for all others."""
        if self._recorder.rank is not None:
            self._waits += 1
            (self.folder / f"waits-{self._recorder.rank}-{self._waits}").touch()

    def _others_seen(self) -> bool:
        """Whether each other rank has asked for rows, or has entered a call that this one has not entered yet."""
        return all(
            (self.folder / f"came-{rank}").exists()
            or (self.folder / f"waits-{rank}-{self._waits + 1}").exists()
            for rank in range(self._processes)
            if rank != self._recorder.rank
        )
