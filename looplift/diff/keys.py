"""Single keys from a terminal, arrows among them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

try:
    import termios
    import tty
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]

_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)
_END = "\x04"  # what Ctrl-D sends, and what stands here for a terminal that was closed


@contextmanager
def single_keys(number: int) -> Iterator[Callable[[], str]]:
    """A function that waits for a key of the terminal with this file descriptor and gives it.

    The terminal stays in one mode from the first key to the last: switched for each key, as typer's
    getchar does, it would drop what was pressed in between.
    """
    if termios is None:
        yield typer.getchar
        return
    before = termios.tcgetattr(number)
    waiting: list[str] = []

    def key() -> str:
        if not waiting:
            waiting.extend(_KEY.findall(os.read(number, 1024).decode(errors="replace")) or [_END])
        return waiting.pop(0)

    try:
        tty.setcbreak(number, termios.TCSADRAIN)
        yield key
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
