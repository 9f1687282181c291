"""A Dask cluster for tests: scheduler and workers in processes of their own, ended by their ids."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from distributed import Client

CLONE = Path(__file__).parents[2]
_PATIENCE = 120.0  # seconds; the machine may be busy
_OTHER = "import looplift\nlooplift.__version__ = '9.9'\n"


@dataclass(frozen=True)
class Machine:
    """A scheduler or worker. mark: stands in the environment of all that it starts. log: what it said."""

    process: subprocess.Popen[bytes]
    mark: str
    log: Path
    address: str = ""

    @property
    def judging(self) -> bool:
        """Whether a job is being judged: its warm process has a child."""
        return any(children(it) for it in children(self.process.pid))


@dataclass
class Machines:
    """Starts them in `folder`; call `end` in the end."""

    folder: Path
    scheduler: Machine = field(init=False)
    _all: list[Machine] = field(default_factory=list)

    def start_scheduler(self, **environment: str) -> str:
        """Start a scheduler on a port that is free. Returns its address."""
        file = self.folder / f"{uuid.uuid4().hex}.json"
        words = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]
        self.scheduler = self._start(words, CLONE, environment)
        wait_for(file.exists, self.scheduler)
        return self.address(file)

    @staticmethod
    def address(file: Path) -> str:
        return str(json.loads(file.read_text())["address"])

    def start_worker(
        self, scheduler: str, kit: Path = CLONE, words: tuple[str, ...] = ("--no-nanny",)
    ) -> Machine:
        """Start a worker of one thread with the looplift that lies in `kit`, and wait until the scheduler knows it."""
        with Client(scheduler, set_as_default=False) as client:
            before = set(client.scheduler_info()["workers"])
            it = self._start(["worker", scheduler, "--nthreads", "1", "--host", "127.0.0.1", *words], kit, {})
            found: set[str] = set()

            def joined() -> bool:
                found.update(set(client.scheduler_info()["workers"]) - before)
                return bool(found)

            wait_for(joined, it)
        return Machine(it.process, it.mark, it.log, found.pop())

    def end(self) -> None:
        """End all that was started here."""
        for it in self._all:
            it.process.terminate()
        for it in self._all:
            try:
                it.process.wait(20)
            except subprocess.TimeoutExpired:
                it.process.kill()
                it.process.wait()

    def _start(self, words: list[str], kit: Path, more: dict[str, str]) -> Machine:
        mark = f"LOOPLIFT_TEST_MACHINE={uuid.uuid4().hex}"
        place = self.folder / mark[-8:]
        place.mkdir()
        log = place / "log"
        environment = os.environ | {
            "PYTHONPATH": str(kit), "DASK_CONFIG": str(place), "PYTHONDONTWRITEBYTECODE": "1",
            mark.split("=")[0]: mark.split("=")[1],
        } | more  # fmt: skip
        command = [sys.executable, "-m", "dask", *words, "--dashboard-address", "127.0.0.1:0"]
        if words[0] == "worker":
            command += ["--local-directory", str(place)]
        with log.open("wb") as file:
            process = subprocess.Popen(command, cwd=place, env=environment, stdout=file, stderr=file)
        self._all.append(Machine(process, mark, log))
        return self._all[-1]


def wait_for(true: Callable[[], Any], machine: Machine) -> None:
    """Wait for something that a machine does."""
    until = time.monotonic() + _PATIENCE
    while not true():
        assert machine.process.poll() is None and time.monotonic() < until, machine.log.read_text()[-3000:]
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """The processes that a process has started, in whichever of its threads."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat[stat.rindex(")") + 2 :].split()[1]) == pid:
                found.append(int(entry.name))
    return found


def unpacked_wheel(folder: Path) -> Path:
    """looplift as `pip install` would put it, far from any clone. Returns the folder to import it from."""
    build = f"import hatchling.build; hatchling.build.build_wheel({str(folder / 'dist')!r})"
    done = subprocess.run([sys.executable, "-c", build], cwd=CLONE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "site")
    return folder / "site"


def other_version(folder: Path) -> Path:
    """A folder to import looplift from that says it is version 9.9."""
    folder.mkdir()
    (folder / "looplift").symlink_to(CLONE / "looplift")
    (folder / "sitecustomize.py").write_text(_OTHER)
    return folder
