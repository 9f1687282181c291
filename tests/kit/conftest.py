"""What all tests of the kit share: one thread, no network, and no process left over."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"
for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
    os.environ.pop(name, None)  # who runs the tests may have set them; a test that wants one sets it
sys.path.insert(0, str(Path(__file__).parent))


def _ours(mark: str) -> dict[int, str]:
    """Processes that carry the mark of this test run, apart from this one and those that started it."""
    above = set()
    pid = os.getpid()
    while pid > 1:
        above.add(pid)
        stat = Path(f"/proc/{pid}/stat").read_text()
        pid = int(stat[stat.rindex(")") + 2 :].split()[1])
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) not in above:
            try:
                if mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")[:120]
            except OSError:
                continue
    return found


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """After the last test no process of the run is alive. `make test` sets the mark; elsewhere nothing is looked at."""
    mark = os.environ.get("LOOPLIFT_TEST_RUN")
    if not mark or hasattr(config, "workerinput") or not Path("/proc/self/environ").exists():
        return
    for _ in range(50):
        left = _ours(f"LOOPLIFT_TEST_RUN={mark}")
        if not left:
            print("No process of this test run is left over.")
            return
        time.sleep(0.1)
    print(f"Processes of this test run are still alive: {left}")
    os._exit(1)
