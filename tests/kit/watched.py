"""A real `looplift watch` in a pseudo-terminal, and the text that stands on its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

PATIENCE = 120.0  # seconds; a busy machine takes its time
ASKS, RESTS = "q quit", "waiting for the next save"
_PART = re.compile(r"\x1b\[(?P<code>[0-9;?]*)(?P<kind>[A-Za-z])|(?P<text>[^\x1b])", re.DOTALL)


class Glass:
    """What a terminal shows of what was written to it. It knows the few sequences that the watch may use."""

    def __init__(self) -> None:
        self.screens: list[list[str]] = [[""]]
        self.wiped: list[str] = []  # lines that were replaced in place
        self._column = 0
        self._rest = ""

    def write(self, text: str) -> None:
        text = self._rest + text
        begun = re.search(r"\x1b(\[[0-9;?]*)?$", text)
        self._rest = begun.group() if begun else ""
        for part in _PART.finditer(text[: len(text) - len(self._rest)]):
            if part["text"]:
                self._put(part["text"])
            elif part["kind"] == "K":
                lines = self.screens[-1]
                self.wiped.append(lines[-1][self._column :])
                lines[-1] = lines[-1][: self._column]
            elif part["kind"] == "J":
                assert part["code"] == "2"
                self.screens.append([""])
                self._column = 0
            else:
                assert part["kind"] == "m" or (part["kind"], part["code"]) == ("H", ""), part.group()

    def _put(self, character: str) -> None:
        lines = self.screens[-1]
        if character == "\n":
            lines.append("")
            self._column = 0
        elif character == "\r":
            self._column = 0
        else:
            lines[-1] = lines[-1][: self._column] + character + lines[-1][self._column + 1 :]
            self._column += 1

    def text(self, number: int = -1) -> str:
        return "\n".join(line.rstrip() for line in self.screens[number]).strip("\n")


def _own_terminal() -> None:
    """Ctrl-C is the program's own, and is heard even where the test run was started with it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """A program in a pseudo-terminal of 90 columns. Use it as a context manager; what is left is killed."""

    def __init__(self, arguments: list[str], folder: Path, **environment: str) -> None:
        self.glass = Glass()
        self._ours, self._theirs = pty.openpty()
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 90, 0, 0))
        self.before = termios.tcgetattr(self._theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "looplift", *arguments],
            stdin=self._theirs, stdout=self._theirs, stderr=self._theirs, cwd=folder,
            env={**os.environ, "TERM": "xterm-256color", **environment},
            start_new_session=True,
            preexec_fn=_own_terminal,
        )  # fmt: skip

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    def until(self, words: str) -> str:
        """Wait until the words stand on the last screen; the screen."""
        end = time.monotonic() + PATIENCE
        while words not in self.glass.text():
            assert time.monotonic() < end, f"no {words!r} on:\n{self.glass.text()}"
            self._read(0.2)
        return self.glass.text()

    def resting(self, prompts: int) -> str:
        """Wait until the last screen has asked for a key so many times and nothing is going on; the screen."""
        end = time.monotonic() + PATIENCE
        while self.glass.text().count(ASKS) < prompts or not self.glass.text().endswith(RESTS):
            assert time.monotonic() < end, f"not {prompts} prompts on:\n{self.glass.text()}"
            self._read(0.2)
        return self.glass.text()

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def ended(self) -> int:
        """Wait for the end of the program; its exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"still running:\n{self.glass.text()}"
            self._read(0.2)
        while self._read(0.1):
            pass
        return self.process.returncode

    def mode(self) -> list:
        """How the terminal is set."""
        return termios.tcgetattr(self._theirs)

    def stop_and_continue(self) -> None:
        """Ctrl-Z and fg in a shell that sets the terminal its own way in between."""
        self.process.send_signal(signal.SIGSTOP)
        termios.tcsetattr(self._theirs, termios.TCSANOW, self.before)
        self.process.send_signal(signal.SIGCONT)
        end = time.monotonic() + PATIENCE
        while self.mode() == self.before:
            assert time.monotonic() < end
            time.sleep(0.01)

    def _read(self, patience: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], patience)
        if ready:
            self.glass.write(os.read(self._ours, 65536).decode(errors="replace"))
        return bool(ready)
