"""What is printed and saved, and by which rank."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import torch

from looplift.evidence.recorder import Recorder
from looplift.evidence.spies.patch import Patches

LONGEST = 300  # characters kept of a printed line
MOST_LINES = 500  # printed lines kept by one process


class Listener:
    """Stands in for stdout or stderr: keeps lines in the journal, sends nothing on."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, recorder: Recorder, stream: str) -> None:
        self._recorder = recorder
        self._stream = stream
        self._rest = ""
        self._lines = 0
        self._bar = False

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        # What is drawn over and over on one line is a bar, and so is a line of rich's.
        if ("\r" in text and text.strip() or "\u2501\u2501" in text) and not self._bar:
            self._bar = True
            self._recorder.note("bar", stream=self._stream, where=self._recorder.where())
        *lines, rest = (self._rest + text[: 100 * LONGEST]).split("\n")
        self._rest = rest[-10 * LONGEST :]
        for line in lines:
            self._lines += 1
            if self._lines <= MOST_LINES and line.strip():
                where = self._recorder.where()
                self._recorder.note("print", stream=self._stream, text=line[:LONGEST], where=where)
        return len(text)

    def flush(self) -> None:
        return

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return 1 if self._stream == "stdout" else 2

    def writable(self) -> bool:
        return True

    def close_line(self) -> None:
        """Write down an unfinished last line."""
        if self._rest.strip():
            self.write("\n")


def listen(recorder: Recorder) -> None:
    """From now on this process prints into the journal."""
    sys.stdout = Listener(recorder, "stdout")  # type: ignore[assignment]
    sys.stderr = Listener(recorder, "stderr")  # type: ignore[assignment]


def _path(place: Any) -> str:
    """Where something is saved: a path, or that of an open file."""
    named = place if isinstance(place, (str, os.PathLike)) else getattr(place, "name", place)
    return os.path.abspath(str(named))[:500]


def watch(recorder: Recorder, patches: Patches) -> None:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def save(*args: Any, **kwargs: Any) -> Any:
            where = recorder.where()
            if where is not None:
                path = args[1] if len(args) > 1 else kwargs.get("f")
                recorder.note("save", name="torch.save", path=_path(path), where=where)
            return original(*args, **kwargs)

        return save

    patches.wrap(torch, "save", make)
