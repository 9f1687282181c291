"""A report in the terminal: readable at 60 columns, without colours, in ASCII."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from looplift.report.report import LessonReport, Mistake, Report
from looplift.report.words import heading, kind, passed, place, score, seconds, source, summary, told
from looplift.verdict.text import WIDEST, number, visible

_BAR = 10  # characters of a whole bar


def show_report(report: Report, console: Console) -> None:
    """Print a report, as wide as the console but not wider than a verdict."""
    paper = _Paper(console)
    paper.line(f"{visible(report.course)}: {_counted(len(report.students), 'student')}", "bold")
    if not report.lessons:
        paper.line("No assignment is in the gradebook yet: run `nbgrader generate_assignment`.")
    for lesson in report.lessons:
        _lesson(lesson, paper)
    if len(report.lessons) > 1 and report.students:
        paper.section("all lessons together")
        rows = paper.table(("student", "left"), ("points", "right"))
        for student in report.students:
            points = f"{number(report.points(student))} of {number(report.possible)}"
            rows.add_row(paper.spelled(visible(student.id)), points)
        paper.put(rows)


class _Paper:
    """A console, asked for what reads well on it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._ascii = console.options.ascii_only
        self._width = min(console.width, WIDEST)

    def spelled(self, text: str) -> str:
        """The text in characters that the terminal has."""
        return text.encode("ascii", "backslashreplace").decode("ascii") if self._ascii else text

    def line(self, text: str, style: str = "") -> None:
        self._console.print(Text(self.spelled(text), style), width=self._width)

    def section(self, title: str) -> None:
        self._console.print()
        self.line(title, "bold")

    def table(self, *columns: tuple[str, str]) -> Table:
        """A table without lines. Folded, as what is cut off ends in a character that not every terminal has."""
        table = Table(
            box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(it for it, _ in columns)
        )
        for name, side in columns:
            table.add_column(name, justify=side, overflow="fold")  # type: ignore[arg-type]
        return table

    def put(self, table: Table, indent: int = 2) -> None:
        self._console.print(Padding(table, (0, 0, 0, indent)), width=self._width)


def _lesson(lesson: LessonReport, paper: _Paper) -> None:
    paper.section(f"{heading(lesson)}: {summary(lesson)}")
    rows = paper.table(("student", "left"), ("points", "right"), ("", "left"))
    rows.columns[1].no_wrap = True
    for entry in lesson.entries:
        rows.add_row(paper.spelled(visible(entry.student.id)), score(entry), paper.spelled(told(entry)))
    if any(entry.handed_in or entry.ungraded for entry in lesson.entries):
        paper.put(rows)
    if lesson.checks:
        paper.section("checks: who passed")
        _checks(lesson, paper)
    if lesson.mistakes:
        paper.section("mistakes: how many made them, who, where")
        for mistake in lesson.mistakes:
            _mistake(mistake, paper)
    if lesson.slowest:
        paper.section("slowest to judge, in processor time")
        rows = paper.table(("", "right"), ("", "left"))
        for entry in lesson.slowest:
            rows.add_row(seconds(entry), paper.spelled(visible(entry.student.id)))
        paper.put(rows)
    if lesson.flagged:
        paper.section("for a person to look at")
        rows = paper.table(("", "left"), ("", "left"))
        for entry in lesson.flagged:
            rows.add_row(*(paper.spelled(visible(it)) for it in (entry.student.id, entry.flag)))
        paper.put(rows)


def _checks(lesson: LessonReport, paper: _Paper) -> None:
    rows = paper.table(("", "right"), ("", "left"), ("", "left"))
    rows.columns[0].no_wrap = rows.columns[1].no_wrap = True
    for check in lesson.checks:
        points = "point" if check.possible == 1 else "points"
        title = f"{visible(check.title)}, {number(check.average)} of {number(check.possible)} {points}"
        rows.add_row(passed(check), _bar(check.passed, check.judged), paper.spelled(title))
    paper.put(rows)


def _bar(part: int, whole: int) -> str:
    """A bar that is empty only for none and full only for all."""
    filled = round(_BAR * part / whole) if whole else 0
    if 0 < part < whole:
        filled = min(max(filled, 1), _BAR - 1)
    return "#" * filled + "." * (_BAR - filled)


def _mistake(mistake: Mistake, paper: _Paper) -> None:
    paper.line(f"  {len(mistake.made)}  {kind(mistake)}")
    rows = paper.table(("", "left"), ("", "left"), ("", "left"))
    for cells in _made(mistake):
        rows.add_row(*(paper.spelled(it) for it in cells))
    paper.put(rows, indent=5)


def _made(mistake: Mistake) -> Iterator[tuple[str, str, str]]:
    for it in mistake.made:
        yield visible(it.student.id), place(it.where), source(it.where) or visible(it.saw)


def _counted(many: int, noun: str) -> str:
    return f"{many} {noun}{'' if many == 1 else 's'}"
