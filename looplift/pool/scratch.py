"""The folder that a worker's jobs go by: private, and swept up after a worker that was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

PREFIX = "looplift-pool-"
_LOCK = "lock"  # held by the process that made the folder, so that others know that it is in use
_YOUNG = 60.0  # seconds in which a folder without a lock may still be about to get one
_GONE = "gone-"  # follows the prefix in the name of a folder that is being removed


class Scratch:
    """A folder of this process's own. Making one removes those of processes that are gone."""

    def __init__(self) -> None:
        sweep()
        self._lock = -1
        while self._lock < 0:
            self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
            # Where containers share the folder, another may have swept it up: no process of this number is there.
            with contextlib.suppress(FileNotFoundError):
                self._lock = os.open(self.folder / _LOCK, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder. Safe to call twice."""
        clear(self.folder)
        with contextlib.suppress(OSError):
            os.close(self._lock)
        self._lock = -1


def clear(folder: Path) -> None:
    """Remove a scratch folder. It gets another name first: what a kill leaves of it is known for what it is, and a
    process that still writes there by its old name does not keep it alive."""
    gone = folder.with_name(f"{PREFIX}{_GONE}{folder.name.removeprefix(PREFIX).removeprefix(_GONE)}")
    with contextlib.suppress(OSError):
        folder.rename(gone)
    for it in (gone, folder):
        shutil.rmtree(it, ignore_errors=True)


def sweep(place: Path | None = None) -> None:
    """Remove the scratch folders that belong to this user and to no process any more. place: where they are, by
    default the folder for temporary files."""
    place = place or Path(tempfile.gettempdir())
    for folder in place.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            if folder.name.startswith(PREFIX + _GONE) or not _in_use(folder):
                clear(folder)


def _alive(folder: Path) -> bool:
    """Whether the process that a folder is named after may still be there."""
    number = folder.name.removeprefix(PREFIX).split("-")[0]
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (ValueError, OSError, OverflowError):
        return True
    return True


def _in_use(folder: Path) -> bool:
    try:
        number = os.open(folder / _LOCK, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _alive(folder) and time.time() - folder.stat().st_mtime < _YOUNG
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(number)
    return False
