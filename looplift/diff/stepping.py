"""The stages in a terminal: printed one after the other, or one at a time by keys."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from looplift.diff.stages import Stage, around
from looplift.diff.terminal import show

CONTEXT = 3  # rows above and below a change, where stages are printed one after the other
_MOST = 12
_FORWARD = {"\x1b[C", "\x1bOC", "\xe0M", "\r", "\n", " ", "n", "l"}  # right arrow, Enter, space
_BACK = {"\x1b[D", "\x1bOD", "\xe0K", "\x7f", "\b", "p", "h"}  # left arrow, backspace
_QUIT = {"q", "\x1b", "\x04"}
_KEYS = "right arrow or Enter: next   left arrow: back   q: quit"


def print_stages(stages: Sequence[Stage], console: Console) -> None:
    """Print stage after stage, each with its heading, its sentence and the lines around the change."""
    for stage in stages:
        if stage.number > 1:
            console.print()
        print_stage(stage, console, CONTEXT)


def print_stage(stage: Stage, console: Console, context: int) -> None:
    """Print one stage, with `context` rows above and below each change."""
    console.print(Text(stage.heading, style="bold"), highlight=False)
    console.print(Text(stage.sentence), highlight=False)
    show(around(stage.diff, context), console, headed=False)


def step_through(stages: Sequence[Stage], console: Console, key: Callable[[], str]) -> None:
    """Show one stage at a time on a screen of its own; `key` waits for a key and gives it.

    Enter on the last stage and q leave.
    """
    at = 0
    with console.screen(hide_cursor=False):
        while at < len(stages):
            console.clear()
            print_stage(stages[at], console, _context(stages[at], console))
            console.print(Text(f"\n{_KEYS}", style="dim"), highlight=False)
            pressed = key()
            if pressed in _QUIT:
                return
            if pressed in _FORWARD:
                # an arrow stops at the last stage, Enter leaves it
                last = at == len(stages) - 1
                at += 0 if last and pressed.startswith(("\x1b", "\xe0")) else 1
            elif pressed in _BACK:
                at = max(at - 1, 0)


def _context(stage: Stage, console: Console) -> int:
    """As many rows around the change as leave room on the screen for the keys."""
    fits = [it for it in range(1, _MOST + 1) if _height(stage, console, it) + 3 <= console.height]
    return max(fits, default=1)


def _height(stage: Stage, console: Console, context: int) -> int:
    drawn = Console(file=io.StringIO(), width=console.width, color_system=None, legacy_windows=False)
    print_stage(stage, drawn, context)
    return drawn.file.getvalue().count("\n")  # type: ignore[attr-defined]
