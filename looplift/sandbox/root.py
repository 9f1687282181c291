"""The root of a run: a file system that holds the interpreter, its packages and the kit's data, all read-only.

It holds no home, no course, no lesson, no solution, and of the machine's /etc nothing but the loader's cache.
"""

from __future__ import annotations

import os
import site
import sys
from functools import lru_cache
from pathlib import Path

from looplift.sandbox import kernel
from looplift.sandbox.bounds import Bounds

EVIDENCE, OUTPUT, SCRATCH = "/evidence", "/output", "/scratch"
USER = 1000  # the number that the run sees as its own
_OLD = "/.old"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache")
_PARTS = ("bin", "lib", "lib32", "lib64", "share", "pyvenv.cfg")  # of an installed Python
_DEVICES = ("null", "zero", "full", "random", "urandom")
_FILES = {
    "/etc/passwd": f"run:x:{USER}:{USER}::{SCRATCH}:/bin/sh\n",
    "/etc/group": f"run:x:{USER}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_QUIET = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC


@lru_cache(maxsize=1)
def readable() -> tuple[str, ...]:
    """What a run may read: the parts of the Python installation, the kit and the lessons' data."""
    from looplift.lesson import data_folder

    kit = Path(__file__).resolve().parent.parent
    found = list(_SYSTEM)
    for prefix in dict.fromkeys((sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix)):
        found += [f"{prefix}/{it}" for it in _PARTS]
    packages = {*site.getsitepackages(), site.getusersitepackages()}
    found += sorted(it for it in packages if it in sys.path)
    found += [str(kit), str(data_folder().resolve())]
    return tuple(dict.fromkeys(os.path.normpath(it) for it in found if os.path.exists(it)))


def build(bounds: Bounds, owner: tuple[int, int]) -> None:
    """Make it, move into it, and leave the old root behind. owner: user and group of the writable folders.

    Call it in a mount namespace of its own, with the right to mount. What was open before stays open.
    """
    paths = readable()
    real = {path: os.path.realpath(path) for path in paths}
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    # Any folder that is there everywhere will do; what it holds is seen again below _OLD.
    kernel.mount("tmpfs", "/tmp", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,mode=755")
    os.mkdir("/tmp" + _OLD)
    kernel.pivot_root("/tmp", "/tmp" + _OLD)
    os.chdir("/")
    if any(target.startswith("/tmp/") for target in real.values()):
        _temporary(bounds, owner)
    for target in sorted(set(real.values())):
        _show(target)
    for path, target in real.items():
        if path != target and not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(target, path)
    _devices()
    for path, text in _FILES.items():
        _write(path, text)
    for path, size in ((EVIDENCE, bounds.evidence), (OUTPUT, bounds.output), (SCRATCH, bounds.scratch)):
        os.makedirs(path, exist_ok=True)
        options = f"size={size},nr_inodes=16384,mode=700,uid={owner[0]},gid={owner[1]}"
        kernel.mount("tmpfs", path, "tmpfs", _QUIET, options)
    _shared_memory(owner)
    if not os.path.lexists("/tmp"):
        os.symlink(SCRATCH, "/tmp")
    os.mkdir("/proc")
    kernel.mount("proc", "/proc", "proc", _QUIET)
    kernel.detach(_OLD)
    os.rmdir(_OLD)
    kernel.mount("none", "/", flags=kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NODEV)


def _temporary(bounds: Bounds, owner: tuple[int, int]) -> None:
    """A /tmp to write to, for a kit that lies below /tmp itself: else that folder is only a way to the kit."""
    os.mkdir("/tmp")
    options = f"size={bounds.scratch},nr_inodes=16384,mode=700,uid={owner[0]},gid={owner[1]}"
    kernel.mount("tmpfs", "/tmp", "tmpfs", _QUIET & ~kernel.MS_NOEXEC, options)


def _show(path: str) -> None:
    """Make a file or folder of the old root appear at its own place, read-only."""
    above = path
    while above not in ("/", "/tmp"):
        if os.path.ismount(above):  # a part of something that is shown already
            return
        above = os.path.dirname(above)
    if os.path.isdir(_OLD + path):
        os.makedirs(path, exist_ok=True)
    else:
        _write(path, "")
    kernel.mount(_OLD + path, path, flags=kernel.MS_BIND | kernel.MS_REC)
    kernel.make_read_only(path)


def _devices() -> None:
    os.mkdir("/dev")
    for name in _DEVICES:
        _write(f"/dev/{name}", "")
        kernel.mount(f"{_OLD}/dev/{name}", f"/dev/{name}", flags=kernel.MS_BIND)
    os.symlink("/proc/self/fd", "/dev/fd")


def _shared_memory(owner: tuple[int, int]) -> None:
    """/dev/shm lies in the scratch folder, so it is counted there."""
    place = SCRATCH + "/.shm"
    os.mkdir(place, 0o700)
    os.chown(place, *owner)
    os.mkdir("/dev/shm")
    kernel.mount(place, "/dev/shm", flags=kernel.MS_BIND)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
