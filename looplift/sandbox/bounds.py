"""How much a run may take, and the limits that the kernel keeps for each of its processes."""

from __future__ import annotations

import platform
import re
import resource
from dataclasses import dataclass
from pathlib import Path

MB = 1 << 20


@dataclass(frozen=True)
class Bounds:
    """What one run may take at most; a right run stays below a tenth of each (see tests/benchmarks/README.md).

    memory: bytes that its processes hold together, beyond what they share with the process they were forked from.
    processes: how many there may be at once. tasks: the same with their threads. scratch, evidence, output: bytes in
    its own folder, in its record, and written below Python's streams. file: bytes in one file.
    """

    memory: int = 2048 * MB
    processes: int = 64
    tasks: int = 256
    scratch: int = 256 * MB
    evidence: int = 64 * MB
    output: int = 8 * MB
    file: int = 128 * MB


def set_limits(bounds: Bounds) -> None:
    """For this process and all that it starts.

    RLIMIT_DATA counts what is private and writable, so it stops one process that asks for too much at once. RLIMIT_AS
    is of no use with torch, which reserves far more than it touches.
    """
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: bounds.file,
        resource.RLIMIT_NOFILE: 1024,
        resource.RLIMIT_DATA: _data_now() + bounds.memory,
        resource.RLIMIT_MEMLOCK: 64 * 1024,
    }
    if _counts_by_namespace():
        limits[resource.RLIMIT_NPROC] = bounds.tasks
    for which, most in limits.items():
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (most, most))


def _data_now() -> int:
    """What this process has of RLIMIT_DATA's kind, in bytes."""
    found = re.search(r"^VmData:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def _counts_by_namespace() -> bool:
    """Whether RLIMIT_NPROC counts the processes of a user namespace (Linux 5.14), not all of the user's."""
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    return bool(version) and (int(version[1]), int(version[2])) >= (5, 14)  # type: ignore[index]
