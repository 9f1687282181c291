"""Lists, hints and the next step as text, for the commands and the watch."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from looplift.desk.desk import Desk
from looplift.desk.hints import Hint
from looplift.desk.standing import Standing
from looplift.lesson import Lesson
from looplift.verdict.text import WIDEST, number, visible

NARROW = 72  # columns: below this a table or a second column would break every word


def put(console: Console, text: str = "", style: str = "") -> None:
    """Print a line as it is, in characters that the terminal has."""
    console.print(Text(spelled(text, console), style=style), soft_wrap=True, highlight=False)


def tell(console: Console, sentence: str, style: str = "") -> None:
    """Print a sentence, wrapped between words."""
    console.print(Text(spelled(visible(sentence), console), style=style), highlight=False)


def spelled(text: str, console: Console) -> str:
    return text.encode("ascii", "backslashreplace").decode() if console.options.ascii_only else text


def near(path: Path, here: Path | None = None) -> str:
    """The path as a person would type it in the folder `here`, by default the working directory."""
    try:
        short = os.path.relpath(path, here)
    except ValueError:  # another drive
        return visible(str(path))
    return visible(short if short != "." and len(short) < len(str(path)) else str(path))


def sum_of(every: Sequence[Standing]) -> str:
    """Such as `1 of 3 lessons done, 14 of 30 points`."""
    done = sum(it.note.passed for it in every)
    points, possible = sum(it.note.points for it in every), sum(it.possible for it in every)
    return f"{done} of {len(every)} lessons done, {number(points)} of {number(possible)} points"


def about(it: Standing) -> str:
    """Such as `02 warmup_schedule, A learning rate that warms up, about 35 minutes`."""
    minutes = f", about {it.minutes} minutes" if it.minutes else ""
    return f"{it.lesson.number} {it.lesson.slug}, {it.lesson.title}{minutes}"


def print_list(every: Sequence[Standing], console: Console, here: Lesson | None = None) -> None:
    """A table of all lessons and their points, and the sum below it. here: the lesson to point at."""
    narrow = console.width < NARROW
    table = Table(box=None, pad_edge=False)
    for heading, side in (("", "left"), ("lesson", "left"), ("state", "left"), ("points", "right"),
                          ("minutes", "right"), ("title", "left"))[: 4 if narrow else 6]:  # fmt: skip
        # Folded, as what is cut off ends in a character that not every terminal has.
        table.add_column(heading, justify=side, overflow="fold")  # type: ignore[arg-type]
    for it in every:
        at = ">" if here is not None and it.lesson.name == here.name else ""
        style = {"done": "green", "begun": "yellow"}.get(it.word, "")
        points = f"{number(it.note.points)} of {number(it.possible)}"
        rest = () if narrow else (str(it.minutes or ""), spelled(it.lesson.title, console))
        table.add_row(at, it.lesson.name, Text(it.word, style), points, *rest)
    console.print(table)
    put(console, sum_of(every))


def print_hint(hint: Hint, lesson: Lesson, console: Console) -> None:
    """One level, wrapped to the terminal, its code as it is."""
    title = f": {hint.title}" if hint.title else ""
    put(console, f"{lesson.number} {lesson.slug}, hint {hint.level} of {hint.of}{title}", "bold")
    put(console)
    for line in wrapped(hint.text, min(console.width, WIDEST)):
        put(console, line)


def wrapped(markdown: str, width: int) -> Iterator[str]:
    """Paragraphs and list items wrapped behind an indent of two; fenced code is left as it is, without its fence."""
    held: list[str] = []
    fenced = False
    for line in [*markdown.split("\n"), ""]:
        item = line.lstrip().startswith(("- ", "* "))
        fence = line.lstrip().startswith("```")
        if fenced and not fence:
            yield f"      {line}".rstrip()
            continue
        if held and (fence or item or not line.strip()):
            yield from _paragraph(" ".join(held), width)
            held = []
        if fence:
            fenced = not fenced
        elif line.strip():
            held.append(line.strip())
        else:
            yield ""


def _paragraph(text: str, width: int) -> list[str]:
    further = "    " if text.startswith(("- ", "* ")) else "  "
    return textwrap.wrap(
        text, max(width, 20), initial_indent="  ", subsequent_indent=further, break_on_hyphens=False
    )


def print_next(
    up: Standing | None, every: Sequence[Standing], desk: Desk, console: Console, here: Path | None = None
) -> None:
    """Which lesson is next and what to type in the folder `here`, or that everything is done."""
    if up is None:
        put(console, f"Everything is done: {sum_of(every)}.")
        return
    put(console, f"Next: {about(up)}", "bold")
    if up.word == "begun" and up.note.checked:
        put(console, f"  {number(up.note.points)} of {number(up.possible)} points so far")
    commands = [
        (f"looplift diff {up.lesson.number}", "read before and after, side by side"),
        (f"jupyter lab {near(desk.place(up.lesson) / up.lesson.exercise.name, here)}", "do the exercise"),
        (f"looplift watch {up.lesson.number}", "beside it: every save is checked"),
    ]
    for command, why in commands:
        if console.width < NARROW:
            put(console, f"  {command}\n      {why}")
            continue
        put(console, f"  {command:<30}  {why}" if len(command) <= 30 else f"  {command}\n{'':<34}{why}")
