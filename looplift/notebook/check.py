"""`check("prepared", training_loop)`: judge the function as it stands in the notebook, in a fork of the kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.display import DisplayHandle, display

from looplift.evidence import KitError, Live
from looplift.judge import Case, judge_apart
from looplift.lesson import LessonError
from looplift.notebook import kernel
from looplift.notebook.bar import going_on
from looplift.verdict import CheckResult, Verdict
from looplift.verdict.page import verdict_html
from looplift.verdict.text import explained, leading, render


class CheckFailed(AssertionError):  # noqa: N818 - students read the name
    """A check did not pass. A notebook shows its sentences, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return str(self).split("\n")


@dataclass(frozen=True)
class _Judged:
    """The last verdict made in this kernel: on which function, after how many cells."""

    function: Any
    count: int
    verdict: Verdict


_last: _Judged | None = None


def check(name: str, function: Callable[..., Any]) -> None:
    """Judge `function` and show what the check called `name` found.

    The first check after a change really runs the loop, on two processes and on one, with other data than the
    notebook's; the checks after it reuse what was seen. Raises CheckFailed when there is something to mend, so that
    nbgrader gives no points for the cell.
    """
    ip = kernel.shell()
    if ip is None:
        raise CheckFailed("check works in a notebook. For a file, type: looplift check FILE")
    if not callable(function):
        raise CheckFailed(
            f'check needs the function itself, without brackets: check("{name}", training_loop)'
        )
    handle = display({"text/plain": "running training_loop ..."}, raw=True, display_id=True)
    try:
        verdict = _verdict(ip, function, handle)
    except (LessonError, KitError) as error:
        raise CheckFailed(f"This could not be checked: {error}") from None
    result = next((it for it in verdict.checks if it.name == name), None)
    if result is None:
        names = ", ".join(it.name for it in verdict.checks)
        raise CheckFailed(f"This lesson has no check called {name!r}. It has: {names}.")
    shown = {"text/plain": render(verdict), "text/html": verdict_html(verdict, only=name)}
    handle.update(shown, raw=True)
    if result.status != "pass":
        raise CheckFailed(_sentences(verdict, result))


def _verdict(ip: Any, function: Callable[..., Any], handle: DisplayHandle) -> Verdict:
    """The last verdict when nothing was run since, else a new one."""
    global _last
    if _last is not None and _last.function is function and not kernel.changed_since(ip, _last.count):
        return _last.verdict
    lesson = kernel.find_lesson_of(ip)
    live = Live(function, function.__globals__)
    case = Case(lesson, lambda: kernel.submission_of(ip, lesson), kernel.FILE, live=live)
    with warnings.catch_warnings():
        # Python 3.12 warns of a fork beside threads; anything on stderr costs points in stock nbgrader.
        warnings.simplefilter("ignore", DeprecationWarning)
        verdict = judge_apart(case, lambda what: handle.update(going_on(what), raw=True))
    _last = _Judged(function, ip.execution_count, verdict)
    _remember(verdict)
    return verdict


def _remember(verdict: Verdict) -> None:
    """Note the result in the student's own course folder, when the notebook lies in one."""
    from looplift.desk import find_desk

    with suppress(Exception):  # progress is a comfort; it must never cost a check
        desk = find_desk()
        lesson = desk.lesson_at(Path.cwd()) if desk else None
        if desk and lesson:
            desk.record(lesson, verdict)


def _sentences(verdict: Verdict, result: CheckResult) -> str:
    """What to mend, in a few lines."""
    finding = result.finding
    if finding is None:
        first = leading(verdict, result)
        return (
            f"{result.title}: follows from the check above. Mend first: {first.title if first else 'that'}."
        )
    lines = [f"{result.title}: {finding.saw}{f', so {finding.so}' if finding.so else ''}"]
    if finding.where:
        lines.append(f"where  {finding.where}")
    if finding.next:
        lines.append(f"next   {finding.next}")
    if explained(finding.id):
        lines.append(f"more   {explained(finding.id)}")
    return "\n".join(lines)
