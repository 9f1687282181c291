"""`looplift build`: make the exercise notebooks from their sources, or check the whole course."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from looplift.commands.collector import uncollected
from looplift.commands.completion import lesson_words
from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors, stop
from looplift.lesson import Lesson, find_lesson, lessons, solutions_folder

if TYPE_CHECKING:
    from looplift.build import Checked


def add(app: typer.Typer) -> None:
    @app.command()
    def build(
        names: list[str] = typer.Argument(
            None, metavar="LESSON", help="Lessons; all when none is given.", autocompletion=lesson_words
        ),
        check: bool = typer.Option(False, "--check", help="Change nothing; say everything that is wrong."),
        fast: bool = typer.Option(
            False, "--fast", help="With --check: leave out what runs training (pairs, solutions, answers)."
        ),
        as_json: bool = typer.Option(False, "--json", help="With --check: print what is wrong as JSON."),
    ) -> None:
        """Make lessons/NN_name/exercise.ipynb from solutions/NN_name/exercise.py, or check lessons.

        Examples: looplift build 01; looplift build --check; looplift build --check --fast 01

        Exit code of --check: 0: nothing is wrong, 1: something is, 2: cannot run.
        """
        with one_line_errors():
            chosen = [find_lesson(name) for name in dict.fromkeys(names)] if names else lessons()
            if not chosen:
                raise stop("there is no lesson to build.")
            if not check:
                if fast or as_json:
                    raise stop("--fast and --json go with --check.")
                _build(chosen)
                return
            solutions_folder()  # said before the seconds of importing, not after
            wrong = _check(chosen, whole=not names, training=not fast, as_json=as_json)
        raise typer.Exit(1 if wrong else 0)


def _build(chosen: Sequence[Lesson]) -> None:
    try:
        from looplift.build import BuildError, build_lesson
    except ImportError as error:
        raise _lacking(error) from None
    try:
        for lesson in chosen:
            lesson.exercise.write_text(build_lesson(lesson), encoding="utf-8")
            print(f"wrote {lesson.exercise}")
    except BuildError as error:
        raise stop(str(error)) from None


def _lacking(error: ImportError) -> typer.Exit:
    return stop(f"building needs {error.name}: pip install 'looplift[author]'.")


def _check(chosen: Sequence[Lesson], whole: bool, training: bool, as_json: bool) -> bool:
    """Check and show. True when something is wrong."""
    began = time.monotonic()
    console = screen()
    every: list[Checked] = []
    for checked in _checked(chosen, whole, training):
        every.append(checked)
        if not as_json:
            _show(checked, training, console)
    problems = sum(len(it.problems) for it in every)
    if as_json:
        sys.stdout.write(json.dumps([asdict(it) for it in every], ensure_ascii=False, indent=1) + "\n")
        return problems > 0
    answers = sum(it.answers for it in every)
    judged = f", {_count(answers, 'answer')} judged" if training else ", nothing was run"
    console.print(
        f"{_count(len(chosen), 'lesson')} checked{judged}, {_count(problems, 'problem') if problems else 'no problem'}"
        f" ({time.monotonic() - began:.0f} s).",
        soft_wrap=True,
    )
    return problems > 0


def _checked(chosen: Sequence[Lesson], whole: bool, training: bool) -> Iterator[Checked]:
    """The lessons, checked side by side, with a bar on a terminal."""
    console = screen(stderr=True)
    with (
        console.status("importing torch and nbgrader") if console.is_terminal else uncollected(),
        uncollected(),
    ):
        try:
            from looplift.build import check_lessons
            from looplift.judge.fork import require_fork, warm_launch
        except ImportError as error:
            raise _lacking(error) from None
        require_fork()
        if training:
            os.environ.setdefault("OMP_NUM_THREADS", "1")
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
            warm_launch()
    bar = Progress(
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"),
        console=console, disable=not console.is_terminal, transient=True,
        auto_refresh=False,  # its thread would not be in the processes that are forked
    )  # fmt: skip
    with bar:
        shown = bar.add_task("", total=None)

        def tell(done: int, total: int, about: str) -> None:
            bar.update(shown, completed=done, total=total, description=about, refresh=True)

        yield from check_lessons(chosen, training, whole, _cores(), tell)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _show(checked: Checked, training: bool, console: Console) -> None:
    """A lesson: one line when nothing is wrong, else each problem with its place and what to do."""
    if not checked.problems:
        judged = f", {_count(checked.answers, 'answer')} judged" if training and checked.answers else ""
        console.print(f"{checked.name}: no problem{judged}", soft_wrap=True)
        return
    order = ", to be mended in this order" if len(checked.problems) > 1 else ""
    console.print(f"{checked.name}: {_count(len(checked.problems), 'problem')}{order}", soft_wrap=True)
    for number, problem in enumerate(checked.problems, 1):
        console.print(f"{number:>3}  {problem.what}", soft_wrap=True)
        console.print(f"     where  {problem.where}", soft_wrap=True)
        console.print(f"     next   {problem.next}", soft_wrap=True)


def _count(many: int, what: str) -> str:
    return f"{many} {what}" if many == 1 else f"{many} {what}s"
