"""What the grader holds in memory: a class of 500, against a class of 10, their verdicts made up.

python tests/benchmarks/memory.py [--small N] [--large N]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from cost import environment
from school import LESSON, class_answers, looplift_school

from looplift.lesson import Lesson
from looplift.verdict import CheckResult, Verdict

FLAT = 1.1  # the most that the large class may take, against the small one


def made_up(path: Path, lesson: Lesson) -> Verdict:
    """A verdict without a run: by the length of the notebook, so that not all are the same."""
    passed = path.stat().st_size % 2 == 0
    checks = []
    for cell in lesson.notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("grade"):
            name, worth = marks["grade_id"].removeprefix("check-"), float(marks["points"])
            checks.append(
                CheckResult(name, name, worth, worth if passed else 0.0, "pass" if passed else "mend")
            )
    return Verdict(lesson.name, path.name, tuple(checks), kit="made up")


def peak(count: int) -> float:
    """MB that a process takes at most while it grades a class of so many."""
    with tempfile.TemporaryDirectory(prefix="looplift-bench-") as place:
        school = looplift_school(Path(place) / "course", count)
        done = subprocess.run(
            [sys.executable, __file__, "--grade", str(school.folder)], env=environment(),
            capture_output=True, text=True, cwd=Path(__file__).parent,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    told = json.loads(done.stdout)
    assert told["rows"] == count == len(class_answers(count)), told
    return float(told["peak"])


def grade(folder: Path) -> None:
    """Grade a class and tell the peak; in a process of its own."""
    from looplift.classroom import export, feedback, grade_course, open_course

    course = open_course(folder)
    rows = grade_course(course, made_up)
    feedback(course)
    export(course)
    unit = 1e6 if sys.platform == "darwin" else 1e3
    print(json.dumps({"rows": len(rows), "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit}))


def report(few: int, small: float, many: int, large: float) -> str:
    """What two classes took, in MB, and whether that is flat."""
    return (
        f"grading {LESSON}: judging with made-up verdicts, recording, pages, export\n"
        f"{many} submissions: {large:.0f} MB, {few} submissions: {small:.0f} MB\n"
        f"ratio {large / small:.2f}, target <= {FLAT:g}  {'met' if large <= FLAT * small else 'MISSED'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", type=int, default=10)
    parser.add_argument("--large", type=int, default=500, help="takes minutes: nbgrader records each")
    parser.add_argument("--grade", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.grade:
        grade(asked.grade)
        return
    print(report(asked.small, peak(asked.small), asked.large, peak(asked.large)))


if __name__ == "__main__":
    main()
