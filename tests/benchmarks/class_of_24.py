"""A class of 24: `looplift grade DIR`, against stock `nbgrader autograde` on the same notebooks.

python tests/benchmarks/class_of_24.py [--students N] [--repeat N]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from alone import train_alone
from comparison import Comparison, table
from cost import Cost, of_command
from school import LESSON, School, looplift_school, stock_school

FIRST, SECOND = 0.1, 0.02  # a first run, and one over a class in which nothing has changed


@dataclass(frozen=True)
class Round:
    """One round over one class: what whole commands cost, and how alike the points are.

    first, stock: on what nobody has graded. second: ours once more. pages: ours once more, with all feedback pages.
    alike: students with the same points in both gradebooks. taken: stock notebooks whose launch found the port
    29500 in use by another program; such a launch trains nothing, which makes stock look cheaper than it is.
    """

    first: Cost
    second: Cost
    pages: Cost
    stock: Cost
    students: int
    alike: int
    taken: int


def grade_with_looplift(school: School, *options: str) -> Cost:
    """The whole command: judging, recording, export. Feedback pages are left out, as stock makes none."""
    command = [
        sys.executable,
        "-m",
        "looplift",
        "grade",
        str(school.folder),
        *(options or ("--no-feedback",)),
    ]
    return of_command([*command, *enclosed()], school.folder, allowed=(0, 1))


def grade_with_stock(school: School) -> Cost:
    """The whole command: executing and recording."""
    return of_command([sys.executable, "-m", "nbgrader", "autograde", LESSON], school.folder)


def enclosed() -> list[str]:
    """Nothing where submissions can be enclosed, as they are by default; else the option that goes without."""
    from looplift.sandbox import available

    return ["--no-sandbox"] if available() else []


def one_round(folder: Path, count: int) -> Round:
    """Grade the same notebooks in new courses: by us, by stock, by us again, so that load falls on both."""
    ours, another = (looplift_school(folder / name, count) for name in ("ours", "another"))
    stock = stock_school(folder / "stock", count)
    before = grade_with_looplift(ours)
    second = grade_with_looplift(ours)
    peer = grade_with_stock(stock)
    after = grade_with_looplift(another)
    pages = grade_with_looplift(another, "--feedback")
    first = Cost((before.clock + after.clock) / 2, (before.processor + after.processor) / 2)
    here, there = ours.scores(), stock.scores()
    alike = sum(here[student] == there[student] for student in here)
    return Round(first, second, pages, peer, count, alike, stock.mentions("EADDRINUSE"))


def report(rounds: Sequence[Round], alone: Cost) -> str:
    """The table, what training alone costs, and whether both gave the same points. alone: for a whole class."""
    stock, students = tuple(it.stock for it in rounds), rounds[0].students
    compared = [
        Comparison(f"{students} submissions", tuple(it.first for it in rounds), stock, FIRST),
        Comparison("again, unchanged", tuple(it.second for it in rounds), stock, SECOND),
        Comparison("again, with pages", tuple(it.pages for it in rounds), stock),
        Comparison("the training alone", (alone,) * len(rounds), stock),
    ]
    how = "without a sandbox" if enclosed() else "each run in a sandbox"
    lines = [
        table(f"looplift grade DIR --no-feedback, {how}", f"nbgrader autograde {LESSON}", compared),
        f"same points from both: {sum(it.alike for it in rounds)} of {sum(it.students for it in rounds)}",
    ]
    taken = sum(it.taken for it in rounds)
    if taken:
        lines.append(
            f"stock found port 29500 taken in {taken} notebooks and trained less there than it should"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=24)
    parser.add_argument("--repeat", type=int, default=1, help="rounds; one takes minutes")
    asked = parser.parse_args()
    rounds = []
    for _ in range(asked.repeat):
        with tempfile.TemporaryDirectory(prefix="looplift-bench-") as place:
            rounds.append(one_round(Path(place), asked.students))
    print(report(rounds, train_alone(asked.students)))


if __name__ == "__main__":
    main()
