"""The console that commands print on, and what becomes of a character that a terminal does not have."""

from __future__ import annotations

import codecs
import sys
from typing import TextIO

from rich.console import Console

ERRORS = "looplift"  # the name under which `plainly` is known to Python's streams
_PLAIN = {
    "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "…": "...", "×": "x", "·": "-", "•": "*",
    "│": "|", "┃": "|", "─": "-", "━": "-", "┼": "+", "→": "->", "⋮": ":", "\xa0": " ",
}  # fmt: skip


def plainly(error: UnicodeError) -> tuple[str, int]:
    """Write what cannot be encoded in plain characters: a quote as a quote, others as Python escapes them."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    plain = (_PLAIN.get(it) or it.encode("ascii", "backslashreplace").decode("ascii") for it in lost)
    return "".join(plain), error.end


codecs.register_error(ERRORS, plainly)


def never_fail(*streams: TextIO) -> None:
    """Let streams print every text, in a terminal or a pipe of any encoding."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=ERRORS)


def screen(stderr: bool = False) -> Console:
    """Where a command prints: as wide and as colourful as what is there; NO_COLOR, COLUMNS and TERM are followed.

    A width that is not known, as in a pipe, is 80 columns.
    """
    never_fail(sys.stderr if stderr else sys.stdout)
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)
