"""A filter for system calls (seccomp): what no training loop needs is refused, so less of the kernel can be attacked.

It also closes ways around the other limits: new user namespaces would bring capabilities back, files in memory
(memfd, System V) would not be counted, a socket of the machine's own (vsock) does not stop at a network namespace.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from looplift.sandbox.kernel import machine

_SAME = {  # newer calls have one number on all processors
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_getfd": 438, "mount_setattr": 442,
    "memfd_secret": 447,
}  # fmt: skip
_REFUSED = {
    "x86_64": {
        "shmget": 29, "shmat": 30, "shmctl": 31, "semget": 64, "msgget": 68, "ptrace": 101, "syslog": 103,
        "vhangup": 153, "pivot_root": 155, "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164,
        "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170,
        "setdomainname": 171, "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176, "quotactl": 179,
        "clock_settime": 227, "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272,
        "perf_event_open": 298, "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305,
        "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313,
        "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
    },
    "aarch64": {
        "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "vhangup": 58, "quotactl": 60, "acct": 89,
        "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112,
        "syslog": 116, "ptrace": 117, "reboot": 142, "sethostname": 161, "setdomainname": 162, "settimeofday": 170,
        "adjtimex": 171, "msgget": 186, "semget": 190, "shmget": 194, "shmctl": 195, "shmat": 196, "add_key": 217,
        "request_key": 218, "keyctl": 219, "swapon": 224, "swapoff": 225, "perf_event_open": 241,
        "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
        "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "memfd_create": 279,
        "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
    },
}  # fmt: skip
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE, _SOCKET = {"x86_64": 56, "aarch64": 220}, {"x86_64": 41, "aarch64": 198}
_CLONE3 = 435  # its flags stand in memory, where a filter cannot look; the C library falls back to clone
_NAMESPACES = 0x7E020000  # every CLONE_NEW... that clone knows
_FAMILIES = (1, 2, 10, 16)  # unix, inet, inet6, netlink (the names of network interfaces)

_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _FIRST = 0, 4, 16  # offsets in struct seccomp_data


def _step(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("HBBI", code, true, false, value)


def _refuse(number: int, error: int) -> bytes:
    return _step(_EQUAL, number, 0, 1) + _step(_RETURN, _ERROR | error)


def _program(name: str) -> bytes:
    parts = [
        _step(_LOAD, _ARCH) + _step(_EQUAL, _ARCHITECTURE[name], 1, 0) + _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, 0x40000000, 0, 1)
        + _step(_RETURN, _ERROR | errno.ENOSYS),  # x32: the same calls again
        _refuse(_CLONE3, errno.ENOSYS),
    ]
    parts += [_refuse(number, errno.EPERM) for number in (*_REFUSED[name].values(), *_SAME.values())]
    look_at_flags = (
        _step(_LOAD, _FIRST)
        + _step(_ANY_OF, _NAMESPACES, 0, 1)
        + _step(_RETURN, _ERROR | errno.EPERM)
        + _step(_RETURN, _ALLOW)
    )
    families = b"".join(_step(_EQUAL, it, 0, 1) + _step(_RETURN, _ALLOW) for it in _FAMILIES)
    look_at_family = _step(_LOAD, _FIRST) + families + _step(_RETURN, _ERROR | errno.EAFNOSUPPORT)
    for number, part in ((_CLONE[name], look_at_flags), (_SOCKET[name], look_at_family)):
        parts.append(_step(_EQUAL, number, 0, len(part) // 8) + part)
    return b"".join([*parts, _step(_RETURN, _ALLOW)])


def refuse_calls() -> None:
    """From now on, for this process and all that it starts. Needs no_new_privs."""
    program = _program(machine())
    kept = ctypes.create_string_buffer(program, len(program))
    structure = struct.pack("HP", len(program) // 8, ctypes.addressof(kept))
    if (
        ctypes.CDLL(None, use_errno=True).prctl(22, 2, structure, 0, 0) < 0
    ):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), "the filter for system calls was refused")
