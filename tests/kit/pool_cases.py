"""Jobs for tests of the pool, and what is left of processes and folders."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from answered import answered, solution

from looplift.lesson import find_lesson
from looplift.pool import Job, hidden_sizes

LESSON = find_lesson("first_loop")
SOLUTION = solution(LESSON)
WRONG = SOLUTION.replace("accelerator.backward(loss)", "loss.backward()")
BACKWARD = 8.0  # points of WRONG: all but the 2 for the check "backward"
ENDLESS = SOLUTION.replace("    for epoch in", "    while True:\n        pass\n    for epoch in", 1)
STEP = "            optimizer.step()\n"


def job(answer: str = SOLUTION, key: str = "ann", secret: str = "a course's") -> Job:
    """A job on lesson 01 with this in the answer cell."""
    notebook = json.dumps(answered(LESSON, answer)).encode()
    return Job(key, LESSON.name, "exercise.ipynb", notebook, hidden_sizes(secret, LESSON.name))


def marked(mark: str) -> set[int]:
    """Processes whose environment holds this text, other than this one."""
    found = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.add(int(entry.name))
        except OSError:
            continue
    return found


def left_over(mark: str, patience: float = 20.0) -> set[int]:
    """Processes with this mark that do not go away by themselves."""
    until = time.monotonic() + patience
    while (found := marked(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    return found
