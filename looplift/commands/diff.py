"""`looplift diff`: before and after of a lesson, side by side or one step at a time."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from rich.console import Console

from looplift.commands.completion import lesson_words
from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors
from looplift.lesson import Lesson, find_lesson


def add(app: typer.Typer) -> None:
    @app.command()
    def diff(
        lesson: str = typer.Argument(
            ..., help="The lesson: its number or name.", autocompletion=lesson_words
        ),
        html: Path = typer.Option(None, "--html", metavar="FILE", help="Write a page to this file instead."),
        stages: bool = typer.Option(
            False, "--stages", help="One step at a time: the arrow keys go forward and back, q leaves."
        ),
    ) -> None:
        """Show what a lesson changes: before.py and after.py side by side. Example: looplift diff 01 --stages"""
        with one_line_errors():
            found = find_lesson(lesson)
            if html:
                _write(found, html, stages)
            elif stages:
                _step(found, screen())
            else:
                from looplift.diff import diff_lesson
                from looplift.diff.terminal import show

                show(diff_lesson(found), screen())


def _write(lesson: Lesson, path: Path, stages: bool) -> None:
    from looplift.diff import diff_lesson
    from looplift.diff.notes import lesson_notes
    from looplift.diff.page import diff_page, write_page
    from looplift.diff.stagepage import stage_page
    from looplift.diff.stages import lesson_stages

    if stages:
        page = stage_page(lesson.name.replace("_", " ", 1), lesson_stages(lesson))
    else:
        diff = diff_lesson(lesson)
        page = diff_page(diff, lesson_notes(lesson, diff))
    write_page(page, path)
    print(f"Wrote {path}")


def _step(lesson: Lesson, console: Console) -> None:
    from looplift.diff.stages import lesson_stages
    from looplift.diff.stepping import print_stages, step_through

    found = lesson_stages(lesson)
    if sys.stdin.isatty() and console.is_terminal and not console.is_dumb_terminal:
        from looplift.diff.keys import single_keys

        with single_keys(sys.stdin.fileno()) as key:
            step_through(found, console, key)
    else:
        print_stages(found, console)
