"""From what each student has to what the class has: checks, mistakes, the slowest, the flagged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from looplift.classroom.marking import PREFIX
from looplift.kinds import UnknownKindError, find_kind
from looplift.report.report import CheckTally, Entry, LessonReport, Made, Mistake
from looplift.verdict import CheckResult

SLOWEST = 5  # how many are named


def lesson_report(name: str, possible: float, entries: Sequence[Entry]) -> LessonReport:
    """Everything that a report says of one lesson."""
    timed = sorted((it for it in entries if it.seconds > 0), key=lambda it: -it.seconds)
    return LessonReport(
        name=name,
        possible=possible,
        entries=tuple(entries),
        checks=check_tallies(entries),
        mistakes=mistakes(entries),
        slowest=tuple(timed[:SLOWEST]),
        flagged=tuple(it for it in entries if it.flag),
    )


def check_tallies(entries: Sequence[Entry]) -> tuple[CheckTally, ...]:
    """One for each check that was made, in the order of the verdicts."""
    made: dict[str, list[tuple[Entry, CheckResult]]] = {}
    for entry in entries:
        for check in entry.verdict.checks if entry.verdict else ():
            made.setdefault(check.name, []).append((entry, check))
    return tuple(_tally(name, results) for name, results in made.items())


def _tally(name: str, results: Sequence[tuple[Entry, CheckResult]]) -> CheckTally:
    status = Counter(check.status for _, check in results)
    points = [entry.cells.get(PREFIX + name, check.points) for entry, check in results]
    return CheckTally(
        name=name,
        title=results[0][1].title,
        possible=max(check.possible for _, check in results),
        passed=status["pass"],
        mend=status["mend"],
        follows=status["follows"],
        average=sum(points) / len(points),
    )


def mistakes(entries: Sequence[Entry]) -> tuple[Mistake, ...]:
    """Kinds of mistakes, those made by most first; a student is named once for each kind.

    A finding of no kind says that a person has to look; that stands among the flagged.
    """
    made: dict[str, dict[str, Made]] = {}
    for entry in entries:
        for check in entry.verdict.checks if entry.verdict else ():
            if check.status == "mend" and check.finding is not None and check.finding.id:
                found = Made(entry.student, check.name, check.finding.saw, check.finding.where)
                made.setdefault(check.finding.id, {}).setdefault(entry.student.id, found)
    every = [Mistake(id, _title(id), tuple(by_student.values())) for id, by_student in made.items()]
    return tuple(sorted(every, key=lambda it: (-len(it.made), it.id)))


def _title(id: str) -> str:
    try:
        return find_kind(id).title
    except UnknownKindError:
        return ""
