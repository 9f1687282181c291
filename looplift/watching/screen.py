"""What the watch shows: a screen for each check on a terminal, one below the other in a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console

from looplift.desk.text import put, spelled, tell
from looplift.verdict import Verdict
from looplift.verdict.text import show, visible
from looplift.watching.changes import Change

KEYS = "n next  h hint  d diff  r reset  l list  q quit"
_STYLES = {"now passes": "green", "now fails": "bold red", "now says": "yellow"}


class Screen:
    """Prints to a console. The last line of a terminal says what is going on, and is replaced in place."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = console.is_terminal and not console.is_dumb_terminal
        self._going_on = ""

    def clear(self) -> None:
        """Begin a new screen; in a pipe a line that parts it from what came before."""
        self._wipe()
        if self.live:
            self._write("\x1b[2J\x1b[H")
        else:
            put(self.console, "-" * 60)

    def say(self, text: str = "", style: str = "") -> None:
        """Print below what is there, wrapped between words."""
        self._wipe()
        tell(self.console, text, style)

    def verdict(self, verdict: Verdict, count: int, changed: Sequence[Change] | None) -> None:
        """A verdict and what changed since the last one. changed: None when this is the first."""
        self.clear()
        show(verdict, self.console)
        if changed is None:
            return
        put(self.console)
        put(self.console, f"Check {count}: {'since the one before' if changed else 'nothing changed'}")
        for it in changed:
            put(self.console, f"  {it.kind:<10}  {visible(it.text)}", _STYLES[it.kind])

    def keys(self, single: bool) -> None:
        """The keys there are: below everything on a terminal, once at the start in a pipe."""
        self._wipe()
        put(self.console)
        put(self.console, KEYS if single else f"Keys, each with Enter: {KEYS}")

    def going_on(self, text: str) -> None:
        """Say in the last line what is going on. Only on a terminal."""
        if self.live:
            self._wipe()
            text = spelled(visible(text), self.console)
            room = max(self.console.width - 1, 10)
            self._going_on = text if cell_len(text) <= room else set_cell_size(text, room - 3) + "..."
            self._write(self._going_on)

    def end(self) -> None:
        """Leave the terminal with an empty line to go on in."""
        self._wipe()

    def _wipe(self) -> None:
        if self._going_on:
            self._write("\r\x1b[K")
            self._going_on = ""

    def _write(self, text: str) -> None:
        self.console.file.write(text)
        self.console.file.flush()
