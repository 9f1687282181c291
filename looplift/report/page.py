"""A report as one HTML page that needs nothing else: no network, no other file, no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from looplift.diff.document import LARGER, page_rules, policy
from looplift.diff.style import page_style
from looplift.kinds import has_page
from looplift.report.chart import bar, points_chart
from looplift.report.report import CheckTally, LessonReport, Mistake, Report
from looplift.report.words import heading, passed, place, score, seconds, source, summary, told
from looplift.verdict.text import number, visible

_RULES = Path(__file__).with_name("report.css")


def report_page(report: Report) -> str:
    """The whole page, light or dark as the reader's system asks. Names and lines of students are text in it."""
    title = _text(f"{report.course}: report")
    lessons = "\n".join(_lesson(lesson, f"lesson-{at}") for at, lesson in enumerate(report.lessons, 1))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy()}">
<title>{title}</title>
<style>
{page_style()}
{page_rules()}
{_RULES.read_text(encoding="utf-8").strip()}
</style>
</head>
<body class="report">
<a class="skip" href="#report">Skip to the report</a>
<header>
<h1>{title}</h1>
{_contents(report)}
{LARGER}
</header>
<main id="report" tabindex="-1">
{lessons or "<p>No assignment is in the gradebook yet.</p>"}
{_together(report)}
</main>
<footer>Points are those of nbgrader's gradebook: grades given by hand and extra credit are in them, late penalties
are taken off.</footer>
</body>
</html>
"""


def _contents(report: Report) -> str:
    links = [
        f'<li><a href="#lesson-{at}">{_text(heading(lesson))}</a></li>'
        for at, lesson in enumerate(report.lessons, 1)
    ]
    if len(links) > 1:
        links.append('<li><a href="#together">All lessons together</a></li>')
    return f'<nav aria-label="Lessons"><ul>{"".join(links)}</ul></nav>' if links else ""


def _lesson(lesson: LessonReport, id: str) -> str:
    parts = [f'<h2 id="{id}">{_text(heading(lesson))}</h2>', f"<p>{_text(summary(lesson))}.</p>"]
    parts.append(points_chart(lesson, id))
    rows: Iterable[tuple[str, ...]]
    if lesson.flagged:
        rows = ((_text(it.student.id), _text(it.flag)) for it in lesson.flagged)
        parts.append(_table("For a person to look at", ("student", "why"), rows))
    if lesson.checks:
        parts.append(
            _table("Checks", ("check", "passed", "", "points on average"), map(_check, lesson.checks))
        )
    parts += _mistakes(lesson, id)
    if lesson.slowest:
        most = lesson.slowest[0].seconds
        rows = ((_text(it.student.id), seconds(it), bar(it.seconds, most, "time")) for it in lesson.slowest)
        parts.append(_table("Slowest to judge", ("student", "processor time", ""), rows))
    if any(it.handed_in or it.ungraded for it in lesson.entries):
        rows = (
            (_text(it.student.id), _text(it.student.name), score(it), _text(told(it)))
            for it in lesson.entries
        )
        parts.append(_table("Who has what", ("student", "name", "points", "told"), rows))
    return f'<section aria-labelledby="{id}">\n' + "\n".join(it for it in parts if it) + "\n</section>"


def _check(check: CheckTally) -> tuple[str, ...]:
    points = f"{number(check.average)} of {number(check.possible)}"
    return _text(check.title), passed(check), bar(check.passed, check.judged, "of"), points


def _mistakes(lesson: LessonReport, id: str) -> list[str]:
    if not lesson.mistakes:
        return []
    most = len(lesson.mistakes[0].made)
    items = "\n".join(_mistake(mistake, most) for mistake in lesson.mistakes)
    return [f'<h3 id="{id}-mistakes">Mistakes</h3>', f'<ul class="mistakes">\n{items}\n</ul>']


def _mistake(mistake: Mistake, most: int) -> str:
    made = len(mistake.made)
    students = f"{made} student{'' if made == 1 else 's'}"
    title = f" {_text(mistake.title)}" if mistake.title else ""
    more = (
        f"<p>Its page: <code>looplift explain {_text(mistake.id)}</code></p>" if has_page(mistake.id) else ""
    )
    who = "".join(
        f"<li>{_text(it.student.id)}: {_text(it.saw)}"
        + (f" <span>({_text(place(it.where))})</span>" if it.where else "")
        + (f"<br><code>{_text(source(it.where))}</code>" if source(it.where) else "")
        + "</li>"
        for it in mistake.made
    )
    return (
        f"<li>{bar(made, most, 'mend')}<details><summary><strong>{students}</strong>: "
        f"<code>{_text(mistake.id)}</code>{title}</summary>{more}<ul>{who}</ul></details></li>"
    )


def _together(report: Report) -> str:
    if len(report.lessons) < 2 or not report.students:
        return ""
    rows = []
    for at, student in enumerate(report.students):
        points = report.points(student)
        each = [score(lesson.entries[at]) for lesson in report.lessons]
        whole = f"{number(points)} of {number(report.possible)}"
        rows.append((_text(student.id), *each, whole, bar(points, report.possible, "of")))
    heads = ("student", *(heading(lesson) for lesson in report.lessons), "together", "")
    table = _table("Points", heads, rows)
    return f'<section aria-labelledby="together">\n<h2 id="together">All lessons together</h2>\n{table}\n</section>'


def _table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first cells are headings of their rows. rows: HTML; a column without a heading holds bars."""
    top = "".join(f'<th scope="col">{_text(it)}</th>' if it else "<td></td>" for it in heads)
    body = "\n".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{it}</td>" for it in row[1:])}</tr>' for row in rows
    )
    return (
        f'<div class="wide" role="region" aria-label="{_text(caption)}" tabindex="0"><table>\n'
        f"<caption>{_text(caption)}</caption>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _text(text: str) -> str:
    return escape(visible(text))
