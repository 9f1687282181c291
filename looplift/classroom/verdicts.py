"""Verdicts on hand-ins: kept by content, so that none is made twice, and made where a submission can do no harm."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import looplift
from looplift.classroom.course import Course
from looplift.classroom.handin import EXERCISE, Handin
from looplift.classroom.opened import shown
from looplift.fault import KitError
from looplift.lesson import Lesson, find_lesson
from looplift.pool import Job, Judges, Tell, hidden_sizes
from looplift.submission import SubmissionError
from looplift.verdict import Verdict

Judge = Callable[[Path, Lesson], Verdict]
_STALE = 60.0  # seconds after which a half-written file is nobody's any more


def job_for(course: Course, lesson: Lesson, handin: Handin) -> Job | None:
    """What a judge is given: the secret's sizes, not the secret. None when there is nothing to judge."""
    if handin.judged is None:
        return None
    sizes = hidden_sizes(course.secret, lesson.name)
    return Job(key(course, lesson, handin.judged), lesson.name, EXERCISE, handin.judged, sizes)


def verdict_for(course: Course, lesson: Lesson, handin: Handin, judges: Judges) -> Verdict:
    """The verdict on one hand-in: the one kept, or a new one. Never raises for a submission's sake."""
    job = job_for(course, lesson, handin)
    if job is None:
        return nothing_judged(handin)
    kept = read_kept(course, job.key)
    if kept is not None:
        return replace(kept, submission=handin.file)
    ((_, made),) = judges([job], lambda job, what: None)
    return finished(course, job.key, handin.lesson, handin.file, made)


def finished(course: Course, key: str, lesson: str, file: str, made: Verdict | KitError) -> Verdict:
    """What judges made of a job, as the verdict on a file: kept under its key when it is one.

    Otherwise the verdict has no checks and its flag says why: then no grade is made up, and nothing is kept.
    """
    if isinstance(made, KitError):
        return _unjudged(lesson, file, f"it could not be judged: {shown(str(made), 300)}")
    if not made.checks:
        return _unjudged(lesson, file, f"it could not be judged: {made.flag or 'the judge made no check'}")
    keep(course, key, made)
    return replace(made, submission=file)


def nothing_judged(handin: Handin) -> Verdict:
    """The verdict on a hand-in that holds nothing to judge."""
    return unjudged(handin, "there is nothing to judge")


def unjudged(handin: Handin, why: str) -> Verdict:
    """A verdict that says why there is none."""
    return _unjudged(handin.lesson, handin.file, why)


def _unjudged(lesson: str, file: str, why: str) -> Verdict:
    return Verdict(lesson, file, (), flag=why, kit=looplift.__version__)


def key(course: Course, lesson: Lesson, judged: bytes) -> str:
    """Names a verdict by all it depends on: the hand-in, the lesson, its tests, the kit, the secret."""
    digest = hashlib.sha256()
    for part in (
        judged,
        lesson.name.encode(),
        lesson.graded.read_bytes() if lesson.graded.is_file() else b"",
        lesson.exercise.read_bytes() if lesson.exercise.is_file() else b"",
        kit_digest().encode(),
        course.secret.encode(),
    ):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def kit_digest() -> str:
    """Version and program text of the kit: someone who works on a clone must not be shown old verdicts.

    The hidden tasks and what their data are drawn from are in it: they are programs, not files.
    """
    package = Path(looplift.__file__).parent
    digest = hashlib.sha256(looplift.__version__.encode())
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def read_kept(course: Course, key: str) -> Verdict | None:
    """The verdict kept under a key; None when there is none, or none that can be read."""
    try:
        return Verdict.from_json((course.verdicts / f"{key}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # not there, or half written by a machine that went down
        return None


def keep(course: Course, key: str, verdict: Verdict) -> None:
    """Keep a verdict, whole or not at all. One that cannot be written (a full disk) is made again next time."""
    part = course.verdicts / f".{key}.{os.getpid()}.part"
    with suppress(OSError):
        course.verdicts.mkdir(parents=True, exist_ok=True)
        part.write_text(verdict.to_json(), encoding="utf-8")
        part.replace(course.verdicts / f"{key}.json")


def one_by_one(judge: Judge) -> Judges:
    """Judges that ask one judge for one file at a time, in this process. The judge may raise anything."""

    def judges(jobs: Iterable[Job], tell: Tell) -> Iterator[tuple[Job, Verdict | KitError]]:
        for job in jobs:
            # a file of its own, so nothing in submitted/ can be changed by the judge
            with tempfile.TemporaryDirectory(prefix="looplift-") as place:
                path = Path(place) / job.name
                path.write_bytes(job.notebook)
                yield job, _asked(judge, path, find_lesson(job.lesson))

    return judges


def _asked(judge: Judge, path: Path, lesson: Lesson) -> Verdict | KitError:
    try:
        return judge(path, lesson)
    except (KitError, SubmissionError) as error:
        return KitError(str(error))
    except Exception as error:  # a judge that breaks must not take a student's grade with it
        return KitError(f"{type(error).__name__}: {shown(str(error), 120)}")


def sweep(course: Course) -> None:
    """Remove what a run that was killed left half written."""
    for part in course.verdicts.glob(".*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _STALE:
                part.unlink()
