"""Saves: notice that one of a few files in a folder was written, also where the system does not tell."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from watchfiles import watch

LOOK = 500  # milliseconds between looks at the files, whether or not an event has come
_GROUP = 50  # milliseconds without a further event after which a save is over
_LONGEST = 300  # milliseconds; an editor that never stops writing does not put a check off for longer

Signature = tuple[tuple[int, int, int] | None, ...]


def poll_wanted() -> bool:
    """True when LOOPLIFT_POLL says that file events do not arrive here (some network and container mounts)."""
    return os.environ.get("LOOPLIFT_POLL", "") not in ("", "0", "no", "false")


class Saves:
    """Watches files in a thread of its own; each save makes `fileno()` readable, for `select`.

    Events make it quick, and a look at the files every half second makes it certain: on network file systems and
    in some containers events never come, and nothing says so. poll: do without events from the start.
    """

    def __init__(self, folder: Path, names: Sequence[str], poll: bool = False) -> None:
        self._folder = folder
        self._names = names
        self._poll = poll or poll_wanted()
        self._seen = self._look()
        self._stop = threading.Event()
        self._reading, self._writing = os.pipe()
        for number in (self._reading, self._writing):
            os.set_blocking(number, False)
        self._thread = threading.Thread(target=self._run, name="looplift-saves", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        return self._reading

    def take(self) -> None:
        """Forget the saves so far. Call it when `fileno()` is readable, before the file is read."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._reading, 4096)

    def close(self) -> None:
        """Stop watching. Safe to call twice."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        os.close(self._reading)
        os.close(self._writing)

    def _run(self) -> None:
        for _ in self._moments():
            seen = self._look()
            if seen != self._seen:
                # A file that is away for a moment is being replaced: the new one is the save.
                gone = all(it is None for it in seen)
                self._seen = seen
                if not gone:
                    with contextlib.suppress(BlockingIOError):  # full: more than enough saves are waiting
                        os.write(self._writing, b".")

    def _moments(self) -> Iterator[None]:
        """When to look: after events, and every LOOK milliseconds in any case, until stopped."""
        for polling in (self._poll, True):
            # OSError: no inotify instance is left, the folder went away, a file system that cannot be watched.
            with contextlib.suppress(OSError):
                for _ in watch(
                    self._folder, watch_filter=None, recursive=False, stop_event=self._stop, step=_GROUP,
                    debounce=_LONGEST, rust_timeout=LOOK, yield_on_timeout=True, raise_interrupt=False,
                    force_polling=polling or None, poll_delay_ms=LOOK // 2,
                ):  # fmt: skip
                    yield
            if self._stop.is_set():
                return
        while not self._stop.wait(LOOK / 1000):
            yield

    def _look(self) -> Signature:
        return tuple(_signature(self._folder / name) for name in self._names)


def _signature(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file is written, also when it is replaced by another; None when it is not there."""
    try:
        it = path.stat()
    except OSError:
        return None
    return it.st_mtime_ns, it.st_size, it.st_ino
