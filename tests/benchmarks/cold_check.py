"""`looplift check` from a cold start, against python importing what the exercise imports.

python tests/benchmarks/cold_check.py [LESSON]... [--repeat N]
"""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
from pathlib import Path

from comparison import Comparison, table
from cost import of_command

from looplift.lesson import Lesson, find_lesson, lessons

sys.path.append(str(Path(__file__).parents[1] / "kit"))
from answered import solution  # noqa: E402

TARGET = 3.0


def imports_of(lesson: Lesson) -> str:
    """The import statements of the exercise's setup and given cells, one a line, and nothing else of them."""
    statements = []
    for cell in ("setup", "given"):
        for statement in ast.parse(lesson.cell_source(cell)).body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                statements.append(ast.unparse(statement))
    # `from looplift import check` loads a module only when the name is fetched, so importing is what it costs
    return "\n".join(statements)


def compare(lesson: Lesson, repeat: int) -> Comparison:
    """Check the lesson's model solution, import, and again, so many times; the first of each is thrown away.

    The first one reads files from the disk that the others find in memory.
    """
    ours, peer = [], []
    with tempfile.TemporaryDirectory(prefix="looplift-bench-") as place:
        answer = Path(place) / "answer.py"
        answer.write_text(solution(lesson), encoding="utf-8")
        check = [sys.executable, "-m", "looplift", "check", "--answer", str(answer), lesson.name]
        bare = [sys.executable, "-c", imports_of(lesson)]
        of_command(bare, Path(place))
        for _ in range(repeat):
            ours.append(of_command(check, Path(place)))
            peer.append(of_command(bare, Path(place)))
    return Comparison(lesson.name, tuple(ours), tuple(peer), TARGET)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lesson", nargs="*", help="lessons; all when none is given")
    parser.add_argument("--repeat", type=int, default=5, help="pairs of measurements for each lesson")
    asked = parser.parse_args()
    chosen = [find_lesson(it) for it in asked.lesson] or lessons()
    found = [compare(lesson, asked.repeat) for lesson in chosen]
    print(table("looplift check --answer RIGHT LESSON", "python -c, the exercise's own imports", found))


if __name__ == "__main__":
    main()
