"""One bar for all processes of a run, as a notebook shows it and as text."""

from __future__ import annotations

import html
import re

WIDTH = 20  # characters
_PERCENT = re.compile(r"^(?P<what>.*): (?P<percent>\d+) %$")


def going_on(what: str) -> dict[str, str]:
    """What to show while something runs, by MIME type. what: a few words, with `: 40 %` at the end when it is known."""
    found = _PERCENT.match(what)
    if found is None:
        return {"text/plain": f"running {what} ..."}
    words, percent = found["what"], int(found["percent"])
    full = WIDTH * percent // 100
    bar = "#" * full + "-" * (WIDTH - full)
    progress = f'<progress max="100" value="{percent}">{percent} %</progress>'
    return {
        "text/plain": f"running {words}  [{bar}] {percent} %",
        "text/html": f"<label>running {html.escape(words)} {progress} {percent} %</label>",
    }
