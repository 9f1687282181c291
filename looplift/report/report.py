"""A report as data: lessons, what each student has, and what the class made of every check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from looplift.verdict import Place, Verdict


@dataclass(frozen=True)
class Student:
    """A student as nbgrader's gradebook has them; what it does not know is ""."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_id: str = ""

    @property
    def name(self) -> str:
        """`Doe, Jane`; what there is of it; the id where there is nothing."""
        return ", ".join(it for it in (self.last_name, self.first_name) if it) or self.id


@dataclass(frozen=True)
class Entry:
    """What one student has in one lesson, as nbgrader counts it.

    handed_in: and graded. ungraded: handed in, but nothing of it is in the gradebook yet.
    points: with grades given by hand and extra credit, the late penalty taken off; 0 when nothing was handed in.
    penalty, extra: points, both positive. by_hand: a person gave points. waits: a person still must.
    cells: points by nbgrader's id of the graded cell. verdict: None when nothing was judged or it was not kept.
    """

    student: Student
    lesson: str
    possible: float
    handed_in: bool = False
    ungraded: bool = False
    points: float = 0.0
    penalty: float = 0.0
    extra: float = 0.0
    by_hand: bool = False
    waits: bool = False
    at: datetime | None = None
    cells: Mapping[str, float] = field(default_factory=dict)
    verdict: Verdict | None = None

    @property
    def flag(self) -> str:
        """Why a person should look at it, "" when nobody must."""
        if not self.waits:
            return ""  # nobody has to look any more: what was odd has been graded by hand
        if self.verdict and self.verdict.flag:
            return self.verdict.flag
        return "graded anew after points by hand: look again" if self.by_hand else "waits for points by hand"

    @property
    def seconds(self) -> float:
        """Processor time of its judging, 0 when it is not known."""
        return self.verdict.seconds if self.verdict else 0.0


@dataclass(frozen=True)
class CheckTally:
    """How the class did on one check. mend: how many have it to mend; follows: how many for an earlier reason.

    average: points in the gradebook, of those who were judged.
    """

    name: str
    title: str
    possible: float
    passed: int
    mend: int
    follows: int
    average: float

    @property
    def judged(self) -> int:
        return self.passed + self.mend + self.follows


@dataclass(frozen=True)
class Made:
    """A mistake as one student made it."""

    student: Student
    check: str
    saw: str
    where: Place | None


@dataclass(frozen=True)
class Mistake:
    """A kind of mistake and who made it, each student once. title: as `looplift explain` has it, "" without a page."""

    id: str
    title: str
    made: tuple[Made, ...]


@dataclass(frozen=True)
class LessonReport:
    """One lesson. entries: one for each student of the course; the other lists are in the order of importance."""

    name: str
    possible: float
    entries: tuple[Entry, ...]
    checks: tuple[CheckTally, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    slowest: tuple[Entry, ...] = ()
    flagged: tuple[Entry, ...] = ()

    @property
    def handed_in(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.handed_in)

    @property
    def average(self) -> float:
        """Points on average of those who handed in; 0 when nobody did."""
        there = self.handed_in
        return sum(entry.points for entry in there) / len(there) if there else 0.0


@dataclass(frozen=True)
class Report:
    """A course after grading. students: by their id."""

    course: str
    students: tuple[Student, ...]
    lessons: tuple[LessonReport, ...]

    @property
    def possible(self) -> float:
        return sum(lesson.possible for lesson in self.lessons)

    def points(self, student: Student) -> float:
        """What a student has in all lessons together."""
        return sum(it.points for lesson in self.lessons for it in lesson.entries if it.student == student)
