"""A verdict as text: the first thing to mend first, one row for each check."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from looplift.kinds import has_page
from looplift.verdict.verdict import CheckResult, Finding, Place, Remark, Verdict

Style = Literal["unicode", "ascii"]
WIDEST = 100  # columns: on a wider terminal the points would stand too far from what they belong to
_NARROW = 60  # columns: below this the details start further left
_LABEL = 10  # columns of a label such as `expected  `
_KEPT = {"\u200c", "\u200d"}  # invisible, but some languages and emoji are spelled with them
_PLAIN = str.maketrans({"–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "…": "...", "×": "x"})


def number(points: float) -> str:
    """Points as people write them: 1, 0.5, 0.33."""
    return f"{round(points, 2):g}"


def visible(text: str) -> str:
    """The text in one line, with nothing in it that moves a cursor, turns the text or hides.

    A student's line may hold any character. Control and direction characters are written as Python
    would escape them, line breaks and tabs become spaces.
    """
    return "".join(_seen(character) for character in text)


def heading(verdict: Verdict) -> tuple[str, str]:
    """Two halves of a title, such as `01 first_loop` and `5 of 10 points`."""
    points = "point" if verdict.possible == 1 else "points"
    name = verdict.lesson.replace("_", " ", 1)
    return name, f"{number(verdict.points)} of {number(verdict.possible)} {points}"


def explained(id: str) -> str:
    """The command that shows the page on a kind of mistake; "" for a kind without a page."""
    return f"looplift explain {id.replace('_', '-')}" if id and has_page(id) else ""


def leading(verdict: Verdict, check: CheckResult) -> CheckResult | None:
    """The check to mend first where `check` only follows from it: the last `mend` above it."""
    above = verdict.checks[: verdict.checks.index(check)]
    return next((it for it in reversed(above) if it.status == "mend"), None)


def render(verdict: Verdict, width: int = 80, style: Style = "unicode") -> str:
    """The verdict as plain text without colours, in lines of at most `width` columns.

    style: `ascii` writes other characters in ASCII, for terminals and files that have no others.
    """
    return "\n".join(line.plain.rstrip() for line in _lines(verdict, _Paper(width, style == "ascii")))


def show(verdict: Verdict, console: Console) -> None:
    """Print the verdict as `render` writes it, as wide as the console, coloured where it has colours."""
    paper = _Paper(min(console.width, WIDEST), console.options.ascii_only)
    for line in _lines(verdict, paper):
        console.print(line, soft_wrap=True, highlight=False)


@dataclass(frozen=True)
class _Paper:
    """How wide lines may be, and whether only ASCII can be written."""

    width: int
    ascii: bool

    def spelled(self, text: str) -> str:
        text = visible(text)
        return text.translate(_PLAIN).encode("ascii", "backslashreplace").decode() if self.ascii else text

    def hanging(self, start: Text, text: str, style: str = "") -> Iterator[Text]:
        """`start` and then `text`, whose further lines begin below its first."""
        room = max(self.width - start.cell_len, 16)
        # The console is only asked to measure; it prints nothing.
        ruler = Console(file=io.StringIO(), width=room, color_system=None, force_jupyter=False)
        for piece in Text(self.spelled(text)).wrap(ruler, room):
            piece.stylize(style)
            yield Text.assemble(start, piece)
            start = Text(" " * start.cell_len)


def _lines(verdict: Verdict, paper: _Paper) -> Iterator[Text]:
    name, points = heading(verdict)
    gap = max(paper.width - cell_len(paper.spelled(name)) - len(points), 2)
    yield Text(paper.spelled(name) + " " * gap + points, style="bold")
    if verdict.flag:
        yield from paper.hanging(Text("  FLAG  ", "bold magenta"), f"for a person to look at: {verdict.flag}")
    if not verdict.checks:
        yield Text("  nothing was judged")
    scores = {it.name: f"{number(it.points)}/{number(it.possible)}" for it in verdict.checks}
    wide = max((len(score) for score in scores.values()), default=0)
    indent = 4 if paper.width < _NARROW else len("  MEND  ") + wide + 2
    for at, check in enumerate(verdict.checks):
        word, style = ("pass", "green") if check.status == "pass" else ("MEND", "bold red")
        start = Text.assemble((f"  {word}  ", style), (f"{scores[check.name]:<{wide}}  ", "dim"))
        yield from paper.hanging(start, check.title, "" if check.status == "pass" else "bold")
        if check.status == "follows":
            near = at > 0 and verdict.checks[at - 1].status != "pass"
            yield from paper.hanging(Text(" " * indent), _follows(verdict, check, near), "dim")
        elif check.status != "pass" and check.finding is not None:
            yield from _finding(check.finding, paper, indent)
    for remark in verdict.remarks:
        yield from _remark(remark, paper, indent)


def _follows(verdict: Verdict, check: CheckResult, near: bool) -> str:
    first = leading(verdict, check)
    if first is None:
        return "follows from something above"
    return "follows from the check above" if near else f'follows from "{first.title}"'


def _finding(finding: Finding, paper: _Paper, indent: int) -> Iterator[Text]:
    more = explained(finding.id)
    saw = f"{finding.saw} [{finding.id}]" if finding.id and not more else finding.saw
    for label, text in (("saw", saw), ("so", finding.so), ("expected", finding.expected)):
        if text:
            yield from paper.hanging(_label(label, indent), text)
    if finding.where is not None:
        yield from _where(finding.where, paper, indent)
    if finding.next:
        yield from paper.hanging(_label("next", indent), finding.next, "bold")
    if more:
        yield from paper.hanging(_label("more", indent), more, "dim")


def _where(place: Place, paper: _Paper, indent: int) -> Iterator[Text]:
    """The place and the student's line: on one line where both fit, else the student's below."""
    at = Place(place.file, place.line, place.cell)
    start = _label("where", indent)
    source = paper.spelled(place.source.strip())
    whole = f"{at}    {source}" if source else str(at)
    if start.cell_len + cell_len(whole) <= paper.width:
        yield Text.assemble(start, (paper.spelled(str(at)), "cyan"), whole[len(str(at)) :])
        return
    yield from paper.hanging(start, str(at), "cyan")
    if source:
        yield from paper.hanging(Text(" " * start.cell_len), source)


def _remark(remark: Remark, paper: _Paper, indent: int) -> Iterator[Text]:
    text = f"{remark.text} [{remark.id}]" if remark.id else remark.text
    yield from paper.hanging(Text("  note  ", "yellow"), text)
    if remark.where is not None:
        yield from _where(remark.where, paper, indent)


def _label(label: str, indent: int) -> Text:
    return Text.assemble(" " * indent, (f"{label:<{_LABEL}}", "dim"))


def _seen(character: str) -> str:
    if character in "\n\r\t":
        return " "
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _KEPT
    return character.encode("unicode_escape").decode("ascii") if hidden else character
