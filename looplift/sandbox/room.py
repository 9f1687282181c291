"""Outside: a room in which one run is enclosed, as the judging process sees it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from looplift.fault import KitError
from looplift.sandbox import root, run, space
from looplift.sandbox.bounds import Bounds
from looplift.sandbox.files import OddFileError, read_plain
from looplift.sandbox.processes import Alive, process_in, processes_in

EVIDENCE = Path(root.EVIDENCE)  # where a run finds its record's folder
OUTPUT = Path(root.OUTPUT)
_PATIENCE = 60.0  # seconds for the kernel to make the namespaces; a full machine takes one
_OURS = re.compile(
    r"(events-\d{1,9}\.jsonl|weights-\d{1,4}-\d{1,4}\.safetensors|stack-\d{1,4}\.txt|fault\.txt)"
)
_UNFINISHED = re.compile(r"weights-\d{1,4}-\d{1,4}\.part")  # a rank was ended while it wrote
_MOST_FILES = 1000
_FIRST = 1  # process id in the room


class Room:
    """A run that goes on in namespaces of its own. Process ids are those that the run itself sees.

    folder: the run's record while it goes on. Raises KitError when a room cannot be made.
    """

    def __init__(self, work: Callable[[], None], bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self._folders = [-1, -1, -1]  # evidence, output, proc
        self._pid = 0
        root.readable()  # looked up once here, not in each run
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(_PATIENCE)
        try:
            with there:
                self._fork(there, work)
            self._open()
        except OSError as error:
            self.close()
            raise KitError(f"a run could not be enclosed: {error}") from None
        except BaseException:
            self.close()
            raise

    def _fork(self, there: socket.socket, work: Callable[[], None]) -> None:
        space.prepare()
        user, group = space.owner()
        self._maps = {"uid_map": f"{root.USER} {user} 1", "gid_map": f"{root.USER} {group} 1"}
        with space.of_processes():
            self._pid = os.fork()
            if self._pid == 0:
                self._socket.close()
                run.enclose(there, self.bounds, (user, group), work)

    def _open(self) -> None:
        said, folders = self._listen(len(self._folders))
        if said != "built" or len(folders) != len(self._folders):
            raise KitError(f"a run could not be enclosed: {said or 'the process is gone'}")
        self._folders = folders
        self.folder = Path(f"/proc/self/fd/{folders[0]}")
        said, _ = self._listen(0)
        if said != "ready":
            raise KitError(f"a run could not be enclosed: {said or 'the process is gone'}")
        process = Path(f"/proc/self/fd/{folders[2]}/{_FIRST}")
        (process / "setgroups").write_text("deny")
        for name, text in self._maps.items():
            (process / name).write_text(text)
        # What it holds now it shares with this process; the pages of files that this one has in memory it has not.
        start = process_in(f"{process}/stat")
        self._base = start.resident if start else 0
        self._socket.send(b"go")

    def _listen(self, descriptors: int) -> tuple[str, list[int]]:
        try:
            data, found, _, _ = socket.recv_fds(self._socket, 4096, descriptors, socket.MSG_CMSG_CLOEXEC)
        except TimeoutError:
            return "it took too long", []
        return data.decode(errors="replace"), found

    def processes(self) -> list[Alive]:
        """Every process in the room, the launching one first."""
        return processes_in(self._folders[2])

    def signal(self, pid: int, sign: int) -> None:
        """Send a signal to a process in the room; nothing happens when it is gone."""
        with contextlib.suppress(OSError):
            place = f"/proc/self/fd/{self._folders[2]}/{pid}"
            process = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                signal.pidfd_send_signal(process, sign)
            finally:
                os.close(process)

    def poll(self) -> int | None:
        """None while the run goes on, then its exit code (negative: the signal that ended it).

        Raises KitError when it had to end before it could be enclosed.
        """
        done, status = os.waitpid(self._pid, os.WNOHANG)
        if not done:
            return None
        self._pid = 0
        self._socket.setblocking(False)
        with contextlib.suppress(OSError):
            said, _ = self._listen(0)
            if said:
                raise KitError(f"a run could not be enclosed: {said}")
        return os.waitstatus_to_exitcode(status)

    def too_much(self, processes: list[Alive]) -> str:
        """What the run has taken more of than it may, "" when it keeps within its bounds."""
        if len(processes) > self.bounds.processes:
            return f"more than {self.bounds.processes} processes"
        grown = sum(max(0, it.resident - self._base) for it in processes)
        if grown > self.bounds.memory and self._held(processes) > self.bounds.memory:
            return f"more than {self.bounds.memory >> 20} MB of memory"
        return ""

    def _held(self, processes: list[Alive]) -> int:
        """Bytes that the processes hold, shared pages counted by their share (slow: 10 ms a process)."""
        total = 0
        for it in processes:
            with contextlib.suppress(OSError, ValueError):
                text = Path(f"/proc/self/fd/{self._folders[2]}/{it.pid}/smaps_rollup").read_text()
                total += sum(
                    int(kb) * 1024 for kb in re.findall(r"^Pss_(?:Anon|Shmem):\s+(\d+)", text, re.MULTILINE)
                )
        return total

    def end(self) -> None:
        """End every process in the room; returns when they are gone."""
        if self._pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)  # and with the first process all others
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)
            self._pid = 0

    def collect(self, folder: Path) -> bool:
        """Copy what the run left into `folder`; False when something was there that should not be.

        Only plain files of the record's own names, none larger than may be; nothing is followed or waited for.
        """
        evidence, output, _ = self._folders
        names = os.listdir(evidence)
        fine = len(names) <= _MOST_FILES
        for name in (it for it in names[:_MOST_FILES] if not _UNFINISHED.fullmatch(it)):
            fine &= bool(_OURS.fullmatch(name)) and _copy(evidence, name, folder / name, self.bounds.evidence)
        _copy(output, "output.txt", folder / "output.txt", self.bounds.output)
        return fine

    def close(self) -> None:
        """End the room and let go of it."""
        self.end()
        self._socket.close()
        for descriptor in self._folders:
            if descriptor >= 0:
                os.close(descriptor)
        self._folders = [-1, -1, -1]


def _copy(folder: int, name: str, target: Path, most: int) -> bool:
    """Copy a plain file of at most so many bytes. False when it is something else."""
    try:
        data = read_plain(name, most, folder=folder)
    except OddFileError:
        return False
    target.write_bytes(data)
    return True
