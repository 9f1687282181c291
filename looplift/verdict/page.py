"""A verdict as an HTML table: for a notebook's output and for feedback pages."""

from __future__ import annotations

from html import escape
from pathlib import Path

from looplift.verdict.text import explained, heading, leading, number, visible
from looplift.verdict.verdict import CheckResult, Finding, Place, Remark, Verdict

# Text keeps the colour of the page around it, whether that is light or dark. Roles are written out in
# the table, because browsers drop those of a table that CSS displays as blocks.
_STYLE = Path(__file__).with_name("page.css")

_COLUMNS = ("check", "result", "points", "saw", "expected", "where", "what next")
_DETAILS = _COLUMNS[3:]


def verdict_html(verdict: Verdict, only: str | None = None) -> str:
    """The verdict as a fragment of HTML that carries its own CSS, which reaches nothing outside it.

    only: the name of the one check to show; a check that follows from another then says what to mend
    first, since that other one is not in sight. Remarks are left to the whole verdict.
    Raises ValueError when the verdict has checks, but none of that name.
    """
    checks = [check for check in verdict.checks if only in (None, check.name)]
    if only is not None and verdict.checks and not checks:
        names = ", ".join(check.name for check in verdict.checks)
        raise ValueError(f"{verdict.lesson} has no check {only!r}. It has: {names}.")
    # tex2jax_ignore: two dollar signs in a student's line are not a formula
    parts = [
        '<div class="looplift-verdict tex2jax_ignore mathjax_ignore">',
        f"<style>\n{_STYLE.read_text(encoding='utf-8').strip()}\n</style>",
    ]
    if verdict.flag:
        said = f"<strong>FLAG</strong> for a person to look at: {_text(verdict.flag)}"
        parts.append(f'<p class="looplift-flag">{said}</p>')
    parts.append(
        _table(verdict, checks, only) if checks else f"<p>{_caption(verdict)}: nothing was judged</p>"
    )
    if verdict.remarks and only is None:
        items = "".join(f"<li>{_remark(remark)}</li>" for remark in verdict.remarks)
        parts.append(f"<p><strong>Notes</strong>, which cost nothing:</p><ul>{items}</ul>")
    return "\n".join([*parts, "</div>"])


def _table(verdict: Verdict, checks: list[CheckResult], only: str | None) -> str:
    heads = "".join(f'<th role="columnheader" scope="col">{name}</th>' for name in _COLUMNS)
    rows = "\n".join(_row(verdict, check, alone=only is not None) for check in checks)
    return (
        '<table class="looplift-checks" role="table">\n'
        f"<caption>{_caption(verdict) if only is None else _text(heading(verdict)[0])}</caption>\n"
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>'
    )


def _caption(verdict: Verdict) -> str:
    name, points = heading(verdict)
    return f"{_text(name)}: {points}"


def _row(verdict: Verdict, check: CheckResult, alone: bool) -> str:
    passed = check.status == "pass"
    result = "pass" if passed else "<strong>MEND</strong>"
    points = f"{number(check.points)} of {number(check.possible)}"
    if passed:
        details = [""] * len(_DETAILS)
    elif check.status == "follows":
        details = _follows(leading(verdict, check), alone)
    else:
        details = _finding(check.finding)
    cells = [_cell("result", result), _cell("points", points)]
    cells += [_cell(label, inside) for label, inside in zip(_DETAILS, details, strict=True)]
    return (
        f'<tr role="row" class="looplift-{"pass" if passed else "mend"}">'
        f'<th role="rowheader" scope="row">{_text(check.title)}</th>{"".join(cells)}</tr>'
    )


def _cell(label: str, inside: str) -> str:
    kind = ' class="looplift-points"' if label == "points" else ""
    # One element inside, so that label and content stand in two columns on a narrow page.
    return f'<td role="cell" data-label="{label}"{kind}>{f"<div>{inside}</div>" if inside else ""}</td>'


def _finding(finding: Finding | None) -> list[str]:
    """Inside of the cells saw, expected, where and what next."""
    if finding is None:
        return [""] * len(_DETAILS)
    saw = _text(finding.saw) + (f"<br>so {_text(finding.so)}" if finding.so else "")
    more = explained(finding.id)
    if finding.id and not more:
        saw += f"<br><code>[{_text(finding.id)}]</code>"
    where = _place(finding.where) if finding.where is not None else ""
    following = [_text(finding.next)] if finding.next else []
    following += [f"more: <code>{_text(more)}</code>"] if more else []
    return [saw, _text(finding.expected), where, "<br>".join(following)]


def _follows(first: CheckResult | None, alone: bool) -> list[str]:
    if first is None:
        return ["follows from something above", "", "", ""]
    follows = f"follows from “{_text(first.title)}”"
    if not alone:
        return [follows, "", "", f"mend “{_text(first.title)}” first"]
    saw, *rest = _finding(first.finding)
    return [f"{follows}<br>{saw}" if saw else follows, *rest]


def _place(place: Place) -> str:
    at = _text(str(Place(place.file, place.line, place.cell)))
    source = _text(place.source.strip())
    return f"{at}<br><code>{source}</code>" if source else at


def _remark(remark: Remark) -> str:
    kind = f" <code>[{_text(remark.id)}]</code>" if remark.id else ""
    where = f"<br>{_place(remark.where)}" if remark.where is not None else ""
    return f"{_text(remark.text)}{kind}{where}"


def _text(text: str) -> str:
    return escape(visible(text))
