"""Outputs for the cells of a recorded notebook: what nbgrader reads the points from, and what a page shows.

`nbgrader.utils.determine_grade` gives a cell nothing when it has an error output, the number of its
`execute_result` when it has one, and all points otherwise; a `display_data` output changes no grade.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape

from nbformat import NotebookNode
from nbformat.v4 import new_output

from looplift.classroom.marking import Mark, Marking
from looplift.verdict import CheckResult, Verdict
from looplift.verdict.page import verdict_html
from looplift.verdict.text import leading, number, render, visible


def summary_output(marking: Marking) -> NotebookNode:
    """What stands under the student's answer: the whole verdict."""
    if marking.verdict.checks:
        return _display(verdict_html(marking.verdict), render(marking.verdict))
    lines = _unjudged(marking.verdict)
    return _display("".join(f"<p>{escape(line)}</p>" for line in lines), "\n".join(lines))


def cell_outputs(mark: Mark, verdict: Verdict) -> list[NotebookNode]:
    """The outputs of one graded cell: its row of the verdict, and what carries its points."""
    if mark.check is None:
        return [_error("NotJudged", _unjudged(verdict))]
    lines = _lines(mark.check, verdict)
    outputs = [_display(verdict_html(replace(verdict, flag=""), only=mark.check.name), "\n".join(lines))]
    if mark.check.points <= 0 < mark.cell.points:
        outputs.append(_error("Mend", lines[:1]))  # the rest stands in the table above it
    elif mark.check.points < mark.cell.points:
        points = {"text/plain": repr(float(mark.check.points))}
        outputs.append(new_output("execute_result", data=points, execution_count=None))
    return outputs


def _unjudged(verdict: Verdict) -> list[str]:
    why = visible(verdict.flag or "this check was not made")
    return ["not judged: an instructor will look at this and grade it", f"why       {why}"]


def _lines(check: CheckResult, verdict: Verdict) -> list[str]:
    """A check in a few lines: title and points, what was seen and expected, where, what to do next."""
    score = (
        f"{number(check.points)} of {number(check.possible)} {'point' if check.possible == 1 else 'points'}"
    )
    lines = [f"{'pass' if check.status == 'pass' else 'MEND'}  {score}: {visible(check.title)}"]
    if check.status == "pass":
        return lines
    finding = check.finding
    if check.status == "follows":
        first = leading(verdict, check)
        lines.append(f"follows from  {visible(first.title) if first else 'something above'}")
        finding = first.finding if first else None
    if finding is None:
        return lines
    details = [
        ("saw", finding.saw),
        ("so", finding.so),
        ("expected", finding.expected),
        ("where", str(finding.where) if finding.where else ""),
        ("next", finding.next),
    ]
    return lines + [f"{name:<10}{visible(text)}" for name, text in details if text]


def _error(name: str, lines: list[str]) -> NotebookNode:
    return new_output("error", ename=name, evalue=lines[0], traceback=lines)


def _display(html: str, text: str) -> NotebookNode:
    return new_output("display_data", data={"text/html": html, "text/plain": text})
