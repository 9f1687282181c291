"""The sandbox: a room for each run, where it can read the kit and nothing else, and out of which nothing escapes.

**What it is.** User, process, network, mount, IPC and host-name namespaces entered by system call in the process that
has been forked for the run, which is warm and so cannot become another program such as bwrap. It is process 1 of its
process namespace, so when it ends, or is ended with the judging process, the kernel ends every process there. Its root
is read-only and holds the Python installation, the kit and the lessons' data (`root.py`); the network is a loopback of
its own; it has no capability and gains none; system calls that no training loop needs are refused (`calls.py`). What it
may take of memory, processes, files and output is bounded (`bounds.py`), by the kernel where it counts such things and
by `evidence.watch` elsewhere. Root is not needed; where root grades, a run is nobody's.

**What remains.** A program in the same process as the recorder can write into the record what it likes if it finds
the recorder's objects: see `evidence.integrity` for what is looked at. A hole in the kernel is a hole here. Time: a run
may use its limits to the full, so a class of such runs takes its time.
"""

from __future__ import annotations

import functools
import os
import sys


def prepare() -> None:
    """Call this early in a process that will judge enclosed runs, see `space.prepare`; else the first run does it."""
    from looplift.sandbox.space import prepare

    prepare()


@functools.lru_cache(maxsize=1)
def available() -> str:
    """ "" where runs can be enclosed; otherwise one sentence that says why not. Tried for real, once."""
    if sys.platform != "linux":
        return "Runs can be enclosed on Linux only, and this is another system."
    from looplift.sandbox.kernel import machine

    if not machine():
        import platform

        return f"Runs can be enclosed on x86_64 and aarch64 only, and this machine is {platform.machine()}."
    read_end, write_end = os.pipe()
    pid = os.fork()  # whatever it takes is done in a process that ends
    if pid == 0:
        os.close(read_end)
        _try(write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    os.waitpid(pid, 0)
    return "" if said == "fine" else f"Runs cannot be enclosed here: {said or 'the attempt was killed'}."


def _try(write_end: int) -> None:
    """Make a room and tell how that went; never returns."""
    import importlib.util
    import time

    from looplift.fault import KitError
    from looplift.sandbox.room import Room

    found = importlib.util.find_spec("torch")
    files = [__file__, *([found.origin] if found and found.origin else [])]

    def read() -> None:
        for number, file in enumerate(files, 3):
            if not os.access(file, os.R_OK):
                os._exit(number)

    said = "fine"
    try:
        room = Room(read)
        while (code := room.poll()) is None:
            time.sleep(0.001)
        room.close()
        if code >= 3:
            said = f"a run, which belongs to nobody, may not read {files[code - 3]}"
        elif code:
            said = f"a run that does nothing ended with code {code}"
    except (KitError, OSError) as error:
        said = str(error).removeprefix("a run could not be enclosed: ")
    os.write(write_end, said.encode())
    os._exit(0)
