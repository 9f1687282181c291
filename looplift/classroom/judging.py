"""The first stage of grading: a verdict on each submission, without the gradebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from looplift.classroom.course import Course
from looplift.classroom.event import Event, Progress
from looplift.classroom.handin import Handin, read_handin
from looplift.classroom.master import Master
from looplift.classroom.verdicts import finished, job_for, nothing_judged, read_kept
from looplift.fault import KitError
from looplift.lesson import Lesson
from looplift.pool.job import Job
from looplift.verdict import Verdict
from looplift.verdict.text import visible


@dataclass(frozen=True)
class Submission:
    """Where a submission lies and what it is judged by. What is in it is read when it is needed, and let go:
    a class of hundreds does not fit into memory."""

    student: str
    assignment: str
    folder: Path
    lesson: Lesson
    master: Master

    def read(self, course: Course) -> Handin:
        return read_handin(course, self.lesson.name, self.student, self.folder, self.master)


@dataclass(frozen=True)
class _Waiting:
    """A submission whose verdict is being made. odd: whether a person must look at it whatever the verdict."""

    index: int
    file: str
    odd: bool


class Judging:
    """Gives out jobs for the submissions that have no verdict yet, and takes what judges make of them.

    unkept: verdicts that say why there is none, by the submission's index; all others are kept in the course.
    """

    def __init__(
        self, course: Course, submissions: Sequence[Submission], progress: Progress, again: bool
    ) -> None:
        self.unkept: dict[int, Verdict] = {}
        self._course, self._submissions = course, submissions
        self._progress, self._again = progress, again
        self._waiting: dict[str, list[_Waiting]] = {}
        self._made: set[str] = set()
        self._done = 0

    def jobs(self) -> Iterator[Job]:
        """A job for each content that needs a verdict, read when it is asked for; equal contents are judged once."""
        for index, submission in enumerate(self._submissions):
            handin = submission.read(self._course)
            job = job_for(self._course, submission.lesson, handin)
            it = _Waiting(index, handin.file, bool(handin.reasons))
            if job is None:
                self._finish(it, nothing_judged(handin), known=False)
            elif job.key in self._waiting:
                self._waiting[job.key].append(it)
            else:
                kept = None if self._again and job.key not in self._made else read_kept(self._course, job.key)
                if kept is not None:
                    self._finish(it, kept, known=job.key not in self._made)
                    continue
                self._waiting[job.key] = [it]
                yield job

    def tell(self, job: Job, what: str) -> None:
        """Pass on what is being run for a job."""
        for it in self._waiting.get(job.key, ())[:1]:
            submission = self._submissions[it.index]
            self._progress(Event("run", 0, 0, submission.student, submission.assignment, what))

    def take(self, job: Job, made: Verdict | KitError) -> None:
        """Keep the verdict on a job, or why there is none. What was not asked for, or twice, is left alone."""
        self._made.add(job.key)
        for it in self._waiting.pop(job.key, ()):
            self._finish(it, finished(self._course, job.key, job.lesson, it.file, made), known=False)

    def _finish(self, it: _Waiting, verdict: Verdict, known: bool) -> None:
        if not verdict.checks:
            self.unkept[it.index] = verdict
        self._done += 1
        outcome = "flagged" if it.odd or verdict.flag else "passed" if verdict.passed else "mend"
        submission, total = self._submissions[it.index], len(self._submissions)
        self._progress(
            Event("judge", self._done, total, submission.student, submission.assignment,
                  visible(verdict.sentence), outcome, known)
        )  # fmt: skip
