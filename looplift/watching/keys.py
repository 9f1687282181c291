"""Keys: single ones from a terminal, the first letter of each line from a pipe."""

from __future__ import annotations

import contextlib
import os
import signal
import termios
import tty
from types import TracebackType
from typing import Any


class Keys:
    """Use it as a context manager: on the way out the terminal is set as it was."""

    def __init__(self, number: int | None) -> None:
        """number: the file descriptor to read from, None when there is no input at all."""
        self._number = number
        self.single = number is not None and os.isatty(number)
        self._before: list[Any] | None = None
        self._continued: Any = None
        self._rest = b""

    def __enter__(self) -> Keys:
        if self.single:
            self._before = termios.tcgetattr(self._number)  # type: ignore[arg-type]
            self._one_by_one()
            # After Ctrl-Z and fg the shell has set the terminal its own way.
            self._continued = signal.signal(signal.SIGCONT, lambda *_: self._one_by_one())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGCONT, self._continued)
            with contextlib.suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(self._number, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]

    def fileno(self) -> int | None:
        """What to wait on with `select`; None when no key can come any more."""
        return self._number

    def read(self) -> list[str]:
        """The keys that came, as small letters. Call it when `fileno()` is readable."""
        assert self._number is not None
        try:
            data = os.read(self._number, 1024)
        except OSError:  # the terminal was closed
            data = b""
        if not data:
            self._number = None
            return ["q"] if self.single else []  # a pipe that ends has no more keys: go on watching
        if not self.single:
            *lines, self._rest = (self._rest + data).split(b"\n")
            words = [line.decode(errors="replace").strip().lower() for line in lines]
            return [word[0] for word in words if word]
        if data.startswith(b"\x1b"):  # an arrow or function key: more than one byte, none of ours
            return []
        return ["q" if it == "\x04" else it.lower() for it in data.decode(errors="replace")]

    def _one_by_one(self) -> None:
        """No waiting for Enter and no echo; Ctrl-C and Ctrl-Z do what they always do."""
        tty.setcbreak(self._number, termios.TCSADRAIN)  # type: ignore[arg-type]
