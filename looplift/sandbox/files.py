"""Reading what somebody else has written: plain files only, and never more than is wanted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | os.O_CLOEXEC


class OddFileError(Exception):
    """There is something else than a plain file of a reasonable size; the text says what."""


def read_plain(path: str | Path, most: int, start: int = 0, folder: int | None = None) -> bytes:
    """The bytes of a plain file from `start` on, b"" when there is none.

    most: bytes that the whole file may have. folder: a descriptor that the path is relative to. No link is followed,
    no pipe waited for. Raises OddFileError when it is something else, or larger.
    """
    try:
        file = os.open(path, _FLAGS, dir_fd=folder)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise OddFileError(error.strerror or "it cannot be opened") from None
    try:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
            raise OddFileError("it is no plain file")
        if about.st_size > most:
            raise OddFileError("it is too large")
        if about.st_size < start:
            raise OddFileError("it has become shorter")
        parts, at = [], start
        while at < most and (part := os.pread(file, min(most - at, 1 << 20), at)):
            parts.append(part)
            at += len(part)
        return b"".join(parts)
    finally:
        os.close(file)
