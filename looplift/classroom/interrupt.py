"""Ctrl-C while something must come to its end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until the block is left, and raise KeyboardInterrupt then.

    nbgrader takes an interrupt for a submission that it cannot convert, and goes on.
    """
    if threading.current_thread() is not threading.main_thread():  # Ctrl-C comes to the main thread only
        yield
        return
    came = False

    def note(*_: Any) -> None:
        nonlocal came
        came = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
