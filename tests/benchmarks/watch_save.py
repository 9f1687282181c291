"""From a save to the verdict in `looplift watch`, against `looplift check` from a cold start on the same file.

python tests/benchmarks/watch_save.py [LESSON]... [--repeat N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from comparison import Comparison, table
from cost import Cost, of_command

from looplift.desk import start
from looplift.lesson import Lesson, find_lesson, lessons

sys.path.append(str(Path(__file__).parents[1] / "kit"))
from answered import solution, write_answered  # noqa: E402
from watched import Terminal  # noqa: E402

TARGET = 2.0  # seconds that a student waits, on a quiet machine with a warm watch


def used_by(pid: int) -> float:
    """Processor seconds of a process and of all its children, those that ended included."""
    stat = Path(f"/proc/{pid}/stat").read_text()
    ticks = sum(int(it) for it in stat[stat.rindex(")") + 2 :].split()[11:15])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return ticks / os.sysconf("SC_CLK_TCK") + sum(used_by(int(child)) for child in children)


def compare(lesson: Lesson, repeat: int) -> Comparison:
    """Save the model solution, wait for the verdict, check the same file from a cold start; so many times.

    Each save differs by a comment, as a notebook that is saved without a change is not checked again.
    """
    ours, peer = [], []
    with tempfile.TemporaryDirectory(prefix="looplift-bench-") as place:
        desk = start(Path(place) / "course").desk
        exercise = desk.place(lesson) / "exercise.ipynb"
        write_answered(lesson, solution(lesson), exercise)
        with Terminal(["watch", lesson.number], desk.folder) as terminal:
            terminal.until("10 of 10 points")
            terminal.resting(1)
            for number in range(repeat):
                before = used_by(terminal.process.pid)
                write_answered(lesson, f"{solution(lesson)}\n# {number}", exercise)
                began = time.perf_counter()
                terminal.until(f"Check {number + 2}")
                ours.append(Cost(time.perf_counter() - began, used_by(terminal.process.pid) - before))
                terminal.resting(1)
                peer.append(of_command([sys.executable, "-m", "looplift", "check", str(exercise)]))
            terminal.press("q")
            terminal.ended()
    return Comparison(lesson.name, tuple(ours), tuple(peer), 1.0)


def waits(found: Sequence[Comparison]) -> str:
    """What a student waits after a save, in seconds, beside the target."""
    lines = []
    for it in found:
        seconds = statistics.median(cost.clock for cost in it.ours)
        lines.append(
            f"{it.what}: {seconds:.2f} s from save to verdict, {'met' if seconds <= TARGET else 'MISSED'}"
        )
    return "\n".join([*lines, f"target: {TARGET:g} s on a quiet machine"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lesson", nargs="*", help="lessons; all when none is given")
    parser.add_argument("--repeat", type=int, default=5, help="saves for each lesson")
    asked = parser.parse_args()
    chosen = [find_lesson(it) for it in asked.lesson] or lessons()
    found = [compare(lesson, asked.repeat) for lesson in chosen]
    print(table("a save under looplift watch", "looplift check from a cold start", found))
    print(waits(found))


if __name__ == "__main__":
    main()
