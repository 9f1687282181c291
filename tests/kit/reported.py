"""A class for tests of the report: graded, with mistakes, odd names, a late one, and one who handed in nothing."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime

from rich.console import Console

from looplift.report import Entry, Report, Student
from looplift.report.tally import lesson_report
from looplift.report.text import show_report
from looplift.verdict import CheckResult, Finding, Place, Verdict

LESSON = "01_first_loop"
LOADER = Finding(
    "unprepared-loader",
    saw="the train loader was not passed to prepare",
    so="each process reads all 37 rows of an epoch, not about 19",
    where=Place("exercise.ipynb", 15, 7, "    for batch in train_loader:  # 반복"),
)
BACKWARD = Finding(
    "plain-backward",
    saw="backward was called on the loss itself",
    where=Place("exercise.ipynb", 18, 7, "    loss.backward()"),
)
CHECKS = (
    CheckResult("backward", "every backward goes through the accelerator", 2.0, 2.0, "pass"),
    CheckResult("prepared", "model, optimizer and loader go through prepare", 2.0, 2.0, "pass"),
    CheckResult("one_training", "two processes train one model, the plain loop's", 3.0, 3.0, "pass"),
)


def verdict(*findings: Finding, flag: str = "", seconds: float = 0.0) -> Verdict:
    """Passed, or with these mistakes in the check that each belongs to."""
    by_check = {"unprepared-loader": "prepared", "plain-backward": "backward"}
    wrong = {by_check[it.id]: it for it in findings}
    checks = [
        replace(it, points=0.0, status="mend", finding=wrong[it.name]) if it.name in wrong else it
        for it in CHECKS
    ]
    if findings:
        checks[2] = replace(checks[2], points=0.0, status="follows")
    return Verdict(LESSON, "exercise.ipynb", tuple(checks), flag=flag, kit="test", seconds=seconds)


def entry(student: Student, made: Verdict | None, **changes: object) -> Entry:
    """What a student has when nobody gave or took a point by hand."""
    plain = Entry(student, LESSON, 7.0, verdict=made)
    if made is not None:
        cells = {f"check-{it.name}": it.points for it in made.checks}
        plain = replace(
            plain, handed_in=True, points=made.points, cells=cells, at=datetime(2027, 3, 1, 12, 30)
        )
    return replace(plain, **changes)  # type: ignore[arg-type]


def a_class() -> Report:
    """Two lessons; the second was handed in by nobody."""
    ann = Student("ann", "Ann", "Ahn", "ann@example.org", "4711")
    bob = Student("bob", "Bob", "Doe, Jr.", "bob@example.org", "sis-17")
    cy = Student("cy", "", "", "", "")
    dee = Student("dee", "=HYPERLINK(1)", "<script>alert(1)</script>", "dee@example.org", "4712")
    eve = Student("eve", "Eve", "반", "eve@example.org", "4713")
    entries = [
        entry(ann, verdict(seconds=11.25), points=6.0, penalty=2.0, extra=1.0),
        entry(bob, verdict(LOADER, seconds=14.5)),
        entry(cy, None),
        entry(dee, verdict(BACKWARD, LOADER, seconds=41.0), points=2.0, by_hand=True),
        entry(
            eve,
            verdict(flag="the submission replaced Accelerator.backward while it ran", seconds=9.0),
            waits=True,
        ),
    ]
    students = (ann, bob, cy, dee, eve)
    nothing = [Entry(it, "02_warmup_schedule", 10.0) for it in students]
    lessons = (lesson_report(LESSON, 7.0, entries), lesson_report("02_warmup_schedule", 10.0, nothing))
    return Report("ddp-2027", students, lessons)


def screen(width: int, encoding: str = "utf-8") -> str:
    """The report of the class as a terminal of this width shows it, without colours."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    show_report(
        a_class(), Console(file=stream, width=width, color_system=None, highlight=False, markup=False)
    )
    stream.flush()
    return "\n".join(line.rstrip() for line in stream.buffer.getvalue().decode(encoding).splitlines())  # type: ignore[attr-defined]
