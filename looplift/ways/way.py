"""A way to train: one program of a lesson, run in a process of its own, and what was counted there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from looplift.lesson import find_lesson

if TYPE_CHECKING:
    from looplift.ways.chart import Ways

NAMES = {"trainer": "Trainer", "before": "plain loop", "after": "Accelerate"}


class WayError(Exception):
    """A program could not be run to its end; the message says which and why."""


@dataclass(frozen=True)
class Way:
    """What a program's `train` asks of its author.

    statements: how many it has. each_batch: how many of them run for every batch; only there can something be
    changed between two batches. steps: optimizer steps taken. any_device: whether it finds devices and processes
    by itself. said: the last line that it printed.
    """

    name: str
    statements: int
    each_batch: int
    steps: int
    any_device: bool
    said: str

    @property
    def devices(self) -> str:
        return "any number of devices" if self.any_device else "one device"


def try_way(program: Path, epochs: int = 1) -> Way:
    """Run a program for some epochs. Raises WayError with its last words when it does not end well.

    A process of its own, as Trainer makes an Accelerator: in a notebook's kernel that would keep the launcher from
    starting anything afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="looplift-way-") as folder:
        out = Path(folder) / "counted.json"
        command = [sys.executable, "-m", "looplift.ways.counting", program, out, "--epochs", str(epochs)]
        surroundings = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        done = subprocess.run(
            [str(it) for it in command],
            env=surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        if done.returncode or not out.is_file():
            words = done.stderr.strip().splitlines()
            raise WayError(
                f"{program.name} did not run to its end: {words[-1] if words else done.returncode}"
            )
        found = json.loads(out.read_text(encoding="utf-8"))
    return Way(NAMES.get(program.stem, program.stem), **found)


def try_ways(lesson_word: str = "06_trainer_or_loop", epochs: int = 1) -> Ways:
    """Train with each program of a lesson, one after the other, and give back a chart of them.

    Says which one is running. Raises WayError when one fails, LessonError when there is no such lesson.
    """
    from looplift.ways.chart import Ways

    folder = find_lesson(lesson_word).folder
    tried = []
    for stem, name in NAMES.items():
        print(f"training with {name} ({stem}.py) ...", flush=True)
        tried.append(try_way(folder / f"{stem}.py", epochs))
    return Ways(tuple(tried))
