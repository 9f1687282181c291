"""The words of a report that terminal, page and tables share."""

from __future__ import annotations

from looplift.report.report import CheckTally, Entry, LessonReport, Mistake
from looplift.verdict import Place
from looplift.verdict.text import number, visible


def heading(lesson: LessonReport) -> str:
    """Such as `01 first_loop`."""
    return visible(lesson.name.replace("_", " ", 1))


def summary(lesson: LessonReport) -> str:
    """Such as `7 of 8 handed in, 6.43 of 10 points on average`."""
    graded, every = len(lesson.handed_in), len(lesson.entries)
    waiting = sum(entry.ungraded for entry in lesson.entries)
    said = f"{graded + waiting} of {every} handed in"
    if waiting:
        said += f", {waiting} not graded yet"
    if graded:
        said += f", {number(lesson.average)} of {number(lesson.possible)} points on average"
    return said


def score(entry: Entry) -> str:
    """Such as `5 of 10`; `-` when nothing was handed in."""
    return f"{number(entry.points)} of {number(entry.possible)}" if entry.handed_in else "-"


def first_mistake(entry: Entry) -> str:
    """The kind of the first thing to mend and where it is; "" when there is none."""
    first = entry.verdict.first if entry.verdict else None
    if first is None or first.finding is None:
        return ""
    return " ".join(it for it in (visible(first.finding.id), place(first.finding.where)) if it)


def told(entry: Entry) -> str:
    """What is to be said of an entry in one line."""
    if not entry.handed_in:
        return "handed in, not graded yet" if entry.ungraded else "not handed in"
    said = [first_mistake(entry)]
    if entry.verdict is not None and entry.verdict.passed:
        said = ["all passed"]
    if entry.penalty:
        said.append(f"late: {number(entry.penalty)} off")
    if entry.extra:
        said.append(f"{number(entry.extra)} extra")
    if entry.by_hand:
        said.append("graded by hand")
    if entry.flag:
        said.append("FLAG")
    return "; ".join(it for it in said if it)


def place(where: Place | None) -> str:
    """Such as `cell 7, line 15`, without the text of the line."""
    return visible(str(Place(where.file, where.line, where.cell))) if where else ""


def source(where: Place | None) -> str:
    """The text of the line that a mistake is in."""
    return visible(where.source.strip()) if where else ""


def passed(check: CheckTally) -> str:
    """Such as `5 of 8`."""
    return f"{check.passed} of {check.judged}"


def kind(mistake: Mistake) -> str:
    """The id of a kind and, where it has a page, its title."""
    return visible(f"{mistake.id}: {mistake.title}" if mistake.title else mistake.id)


def seconds(entry: Entry) -> str:
    """Processor time of the judging, such as `12.3 s`."""
    return f"{entry.seconds:.1f} s"
