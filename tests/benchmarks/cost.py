"""What something cost: seconds by the clock, and seconds of processor time with everything it started."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """clock: what a person waits. processor: what the machine worked, all processes added up. Both in seconds."""

    clock: float
    processor: float

    def shared_by(self, parts: int) -> Cost:
        """The cost of one of so many equal parts."""
        return Cost(self.clock / parts, self.processor / parts)


def middle(costs: Sequence[Cost]) -> Cost:
    """The median of each of the two."""
    return Cost(statistics.median(it.clock for it in costs), statistics.median(it.processor for it in costs))


def environment() -> dict[str, str]:
    """The environment of a command: one thread, no network, the programs beside this python found by name."""
    import sys

    beside = str(Path(sys.executable).parent)
    path = os.pathsep.join(it for it in (beside, os.environ.get("PATH", "")) if it)
    return {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


def of_command(
    command: Sequence[str],
    folder: Path | None = None,
    allowed: Sequence[int] = (0,),
    env: Mapping[str, str] | None = None,
) -> Cost:
    """Run a command to its end and say what it cost, its own children included.

    folder: where it runs. allowed: exit codes that are no failure. Raises RuntimeError with the end of what the
    command printed when it fails: a benchmark of a broken command is worth nothing.
    """
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=env or environment(), stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        _, status, used = os.wait4(process.pid, 0)
        clock = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen doesn't wait for it again
        if process.returncode not in allowed:
            said.seek(0)
            tail = said.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"`{' '.join(command)}` ended with {process.returncode}:\n{tail}")
    return Cost(clock, used.ru_utime + used.ru_stime)
