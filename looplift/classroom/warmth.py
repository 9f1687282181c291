"""Warmth: who makes a course's verdicts on this machine: warm processes, started when there is something to judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from looplift.classroom.course import Course, CourseError
from looplift.fault import KitError
from looplift.pool import Job, Judges, Tell, Worker, sweep, verdicts
from looplift.verdict import Verdict


def require_sandbox(without: str = "add --no-sandbox") -> None:
    """Raises CourseError, in one sentence, where submissions cannot be enclosed. without: how to go without."""
    from looplift.sandbox import available

    why = available()
    if why:
        raise CourseError(f"{why.rstrip('.')}: {without} to run what students wrote without one.")


@contextmanager
def warm_judges(
    processes: int = 0,
    sandbox: bool = True,
    warn: Callable[[str], None] = lambda sentence: None,
    prepare: Sequence[str] = (),
) -> Iterator[Judges]:
    """Judges for `grade_course`, ended with all that they run when the block is left.

    processes: how many submissions at once, by default one for each core. sandbox: enclose each run. warn: told what
    an instructor should know. prepare: lessons whose imports may begin at once, while the course is being read.
    """
    worker: Worker | None = None
    sweep()  # a worker does so, too, but where everything is judged there is none

    def judges(jobs: Iterable[Job], tell: Tell) -> Iterator[tuple[Job, Verdict | KitError]]:
        nonlocal worker
        for first in (coming := iter(jobs)):
            worker = worker or Worker(sandbox, warn)
            yield from verdicts(worker, chain([first], coming), processes, tell)

    try:
        if prepare:
            worker = Worker(sandbox, warn)
            for lesson in prepare:
                worker.prepare(lesson)
        yield judges
    finally:
        if worker is not None:
            worker.close()


def lessons_to_expect(course: Course) -> list[str]:
    """Lessons of which something was handed in since the last verdict was made; a guess, from time stamps alone."""
    judged = max((it.stat().st_mtime for it in course.verdicts.glob("*.json")), default=0.0)
    found: dict[str, None] = {}
    for notebook in sorted((course.folder / "submitted").glob("*/*/*.ipynb")):
        lesson = course.lesson(notebook.parent.name)
        if lesson is not None and lesson.name not in found and notebook.lstat().st_mtime > judged:
            found[lesson.name] = None
    return list(found)
