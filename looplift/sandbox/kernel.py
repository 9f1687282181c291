"""System calls that Python has no name for, each raising OSError that says what was refused.

Numbers and structures: Linux's own headers (asm-generic/unistd.h, linux/mount.h, linux/capability.h, linux/prctl.h).
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import socket
import struct

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 0x1, 0x2, 0x4, 0x8, 0x20
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000

_NUMBERS = {"x86_64": {"pivot_root": 155, "capset": 126}, "aarch64": {"pivot_root": 41, "capset": 91}}
_MOUNT_SETATTR = 442  # the same number on every processor
_AT_RECURSIVE = 0x8000
_MNT_DETACH = 2
_READ_ONLY = struct.pack(
    "QQQQ", MS_RDONLY | MS_NOSUID | MS_NODEV, 0, 0, 0
)  # struct mount_attr: set, clear, ...

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = (
    1,
    4,
    24,
    38,
    47,
)
_CAPABILITIES = 0x20080522  # version 3 of the structure


def machine() -> str:
    """The processor's name, "" when the numbers of its system calls are not known here."""
    name = platform.machine()
    return name if name in _NUMBERS else ""


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Give this process namespaces of its own."""
    _check(_libc().unshare(flags), "unshare")


def join(namespace: int, kind: int) -> None:
    """Enter a namespace, or for CLONE_NEWPID let children enter it. namespace: a descriptor of it."""
    _check(_libc().setns(namespace, kind), "setns")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    done = _libc().mount(
        source.encode(),
        target.encode(),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    _check(done, f"mount {kind or source} on {target}")


def make_read_only(target: str) -> None:
    """A mount and everything below it: nothing can be written, no set-user-id bit and no device counts there."""
    done = _libc().syscall(
        _MOUNT_SETATTR, -100, target.encode(), _AT_RECURSIVE, _READ_ONLY, ctypes.c_size_t(len(_READ_ONLY))
    )
    _check(done, f"mount_setattr on {target}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root; the former root appears at `old`."""
    _check(_libc().syscall(_NUMBERS[machine()]["pivot_root"], new.encode(), old.encode()), "pivot_root")


def detach(target: str) -> None:
    _check(_libc().umount2(target.encode(), _MNT_DETACH), f"umount {target}")


def die_with_parent(sign: int) -> None:
    _check(_libc().prctl(_PR_SET_PDEATHSIG, sign, 0, 0, 0), "prctl")


def set_dumpable() -> None:
    """Let this process look into its own /proc, as any process does that has never changed its user."""
    _check(_libc().prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl")


def drop_capabilities() -> None:
    """No capability is left, and none can come back by running a program."""
    libc = _libc()
    for number in range(64):
        if libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) < 0:
            break  # this kernel has no more of them
    libc.prctl(_PR_CAP_AMBIENT, 4, 0, 0, 0)  # PR_CAP_AMBIENT_CLEAR_ALL
    header, nothing = struct.pack("Ii", _CAPABILITIES, 0), bytes(24)
    _check(libc.syscall(_NUMBERS[machine()]["capset"], header, nothing), "capset")
    _check(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def raise_loopback() -> None:
    """Let 127.0.0.1 answer in a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = struct.pack("16sH22x", b"lo", 0x1 | 0x40)  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(any_socket, 0x8914, flags)  # SIOCSIFFLAGS
