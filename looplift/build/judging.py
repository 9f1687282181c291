"""A lesson's own exercise judged: the stub, the model solution, every answer on file."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

from looplift.build.answers import Answer, lost, misjudged
from looplift.build.problem import Problem
from looplift.build.source import source_path
from looplift.lesson import Lesson
from looplift.submission import Submission, read_answer, read_submission
from looplift.verdict import Verdict

_warmed: dict[Lesson, str] = {}  # lessons whose imports are in this process, and why they could not be


def check_stub(lesson: Lesson) -> list[Problem]:
    """The exercise as students get it earns nothing, and is told that it is still empty."""

    def judged(verdict: Verdict) -> list[Problem]:
        where = "exercise.ipynb"
        passed = [it.name for it in verdict.checks if it.points > 0]
        if passed:
            what = f"the empty stub gets {verdict.points:g} of {verdict.possible:g} points, at `{passed[0]}`"
            step = "A check must first ask whether the loop ran: call `trained(run)` in it."
            return [Problem(lesson.name, what, where, step)]
        if "still the empty stub" not in verdict.sentence:
            what = f"the stub is not told that it is still empty, but: {verdict.sentence}"
            step = "Let the answer cell hold nothing but the function and `raise NotImplementedError()`."
            return [Problem(lesson.name, what, where, step)]
        return []

    return _judge(lesson, lesson.exercise, read_submission, judged)


def check_solution(lesson: Lesson) -> list[Problem]:
    """The model solution loses nothing."""
    path = source_path(lesson)

    def judged(verdict: Verdict) -> list[Problem]:
        said = lost(verdict)
        where = f"solutions/{lesson.name}/{path.name}"
        step = f"Mend the solution or the check. To see it again: looplift check {where}"
        return [Problem(lesson.name, f"the model solution {said}", where, step)] if said else []

    return _judge(lesson, path, read_submission, judged)


def check_answer(lesson: Lesson, answer: Answer) -> list[Problem]:
    """An answer is judged as its head says."""
    return _judge(lesson, answer.path, read_answer, lambda verdict: misjudged(lesson, answer, verdict))


def _judge(
    lesson: Lesson,
    path: Path,
    read: Callable[[Path, Lesson], Submission],
    judged: Callable[[Verdict], list[Problem]],
) -> list[Problem]:
    from looplift.judge import Case, judge_apart

    why = _warm(lesson)
    if why:
        step = "Mend it: the cells `setup` and `given` must run, and TASK must make its rows and its model."
        return [Problem(lesson.name, f"nothing can be judged: {why}", "exercise.ipynb", step)]
    try:
        verdict = judge_apart(Case(lesson, lambda: read(path, lesson), path.name))
    except (Exception, SystemExit) as error:  # the kit's fault, the machine's, or the lesson's own tests'
        what = f"{path.name} cannot be judged: {error or type(error).__name__}"
        return [Problem(lesson.name, what, path.name, "Mend the lesson's graded tests, or try again.")]
    return judged(verdict)


def _warm(lesson: Lesson) -> str:
    """Import what judging needs, once in this process. Gives why that cannot be done, or ""."""
    from looplift.judge import warm

    if lesson not in _warmed:
        try:
            gc.disable()
            warm(lesson)
            _warmed[lesson] = ""
        except (Exception, SystemExit) as error:
            _warmed[lesson] = f"{type(error).__name__}: {error}".rstrip(": ")
        finally:
            gc.freeze()  # a collection would touch, and so copy, every page that the judging forks share
            gc.enable()
    return _warmed[lesson]
