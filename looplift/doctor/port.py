"""Whether the port that launches use is free, and which program has it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from looplift.doctor.facts import Port

PORT = 29500  # what notebook_launcher takes unless use_port says otherwise
_LISTENS = "0A"  # the state of a listening socket in /proc/net/tcp


def look_at_port(number: int) -> Port:
    """Try to take a port as a launch does, on all addresses, and let it go again."""
    with socket.socket() as probe:
        # As the launcher's store does: a port that was only just left is free for it.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", number))
            probe.listen(1)
        except OSError:
            return Port(number, False, _holder(number))
    return Port(number, True)


def _holder(number: int) -> str:
    """Such as `process 4242 (python)`; "" where there is no /proc or the program is another user's."""
    sockets = {f"socket:[{it}]" for it in _inodes(number)}
    for process in Path("/proc").glob("[0-9]*") if sockets else ():
        try:
            if any(os.readlink(it) in sockets for it in (process / "fd").iterdir()):
                return f"process {process.name} ({(process / 'comm').read_text().strip()})"
        except OSError:
            continue
    return ""


def _inodes(number: int) -> set[str]:
    """Inodes of the sockets that listen on a port; columns as proc(5) has them."""
    found = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        try:
            rows = [line.split() for line in table.read_text(encoding="ascii").splitlines()[1:]]
        except OSError:
            continue
        found |= {
            row[9] for row in rows if row[3] == _LISTENS and int(row[1].rsplit(":", 1)[1], 16) == number
        }
    return found
