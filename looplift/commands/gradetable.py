"""The table that a grading run ends with."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from looplift.classroom.grade import Row
from looplift.verdict.text import number, visible


def print_rows(rows: Sequence[Row], console: Console) -> None:
    """Student, lesson, points, the one sentence; flagged ones once more below, with the reason."""
    table = Table(box=None, pad_edge=False)
    table.add_column("student", no_wrap=True)
    table.add_column("lesson", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("told")
    for row in rows:
        points = f"{number(row.points)} of {number(row.possible)}"
        table.add_row(row.student, row.lesson, points, Text(visible(row.sentence)))
    console.print(table)
    flagged = [row for row in rows if row.flag]
    if flagged:
        console.print(f"\n{len(flagged)} need a look by a person:")
        for row in flagged:
            console.print(Text(f"  {row.student}, {row.lesson}: {visible(row.flag)}"))
