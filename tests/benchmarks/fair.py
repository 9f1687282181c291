"""Fairness: right answers judged again and again on a machine with too much to do, against their verdict: all pass.

python tests/benchmarks/fair.py [--times N] [--load N] [--at-once N]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "kit"))
from answered import answered, solution  # noqa: E402

from looplift.lesson import lessons  # noqa: E402
from looplift.pool import Job, Worker, cores, hidden_sizes, verdicts  # noqa: E402
from looplift.sandbox import available  # noqa: E402
from looplift.verdict import Verdict  # noqa: E402

ANSWERS = Path(__file__).parents[1] / "answers"
_BUSY = "while True: pass"


def right_answers() -> list[Job]:
    """Every answer that must pass, and the model solutions. The key tells which it is."""
    jobs = []
    for lesson in lessons():
        typed = {"model solution": solution(lesson)}
        for path in sorted((ANSWERS / lesson.name).glob("right_*.py")):
            typed[path.stem] = path.read_text(encoding="utf-8")
        for name, text in typed.items():
            notebook = json.dumps(answered(lesson, text)).encode()
            sizes = hidden_sizes("a course's", lesson.name)
            jobs.append(Job(f"{lesson.name} {name}", lesson.name, "exercise.ipynb", notebook, sizes))
    return jobs


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep so many processes busy for nothing."""
    busy = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for it in busy:
            it.kill()
            it.wait()


def failures(times: int, busy: int, at_once: int) -> tuple[Counter[str], int]:
    """What was said of right answers that did not pass, and how many verdicts there were."""
    jobs = list(islice(cycle(right_answers()), times))
    said: Counter[str] = Counter()
    made = 0
    with load(busy), Worker(sandbox=not available()) as worker:
        for job, verdict in verdicts(worker, jobs, at_once):
            made += 1
            if not isinstance(verdict, Verdict):
                said[f"{job.key}: {verdict}"] += 1
            elif not verdict.passed or verdict.flag:
                said[f"{job.key}: {verdict.flag or verdict.sentence}"] += 1
    return said, made


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--load", type=int, default=2 * cores(), help="processes that do nothing but compute")
    parser.add_argument("--at-once", type=int, default=2 * cores(), help="submissions judged side by side")
    asked = parser.parse_args()
    began = time.monotonic()
    said, made = failures(asked.times, asked.load, asked.at_once)
    took, now = time.monotonic() - began, os.getloadavg()[0]
    print(
        f"{made} right answers judged in {took:.0f} s, {asked.at_once} at once beside {asked.load} busy processes"
    )
    print(f"{cores()} cores, load {now:.1f} at the end; failed: {sum(said.values())}, target 0")
    for what, count in said.most_common():
        print(f"  {count} times  {what}")
    return 1 if said or made != asked.times else 0


if __name__ == "__main__":
    sys.exit(main())
