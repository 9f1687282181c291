"""The sandbox: what a run may take, and that nothing of it is left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rooms import ended, error_of, found, soon

from looplift.fault import KitError
from looplift.sandbox import available
from looplift.sandbox.bounds import MB, Bounds
from looplift.sandbox.room import EVIDENCE, Room

pytestmark = pytest.mark.skipif(bool(available()), reason=available() or "-")


def test_a_process_that_asks_for_too_much_is_refused(tmp_path: Path) -> None:
    bounds = Bounds(memory=200 * MB)
    assert found(lambda: error_of(lambda: bytearray(400 * MB)), tmp_path, bounds) == "MemoryError"
    assert found(lambda: len(bytearray(50 * MB)), tmp_path, bounds) == 50 * MB


def test_too_many_processes_and_too_much_memory_are_noticed() -> None:
    def work() -> None:
        for _ in range(8):
            if os.fork() == 0:
                kept = bytearray(b"1") * (30 * MB)
                time.sleep(1000 + len(kept) * 0)
        time.sleep(1000)

    room = Room(work, Bounds(processes=4, memory=100 * MB))
    try:
        for _ in range(2000):
            processes = room.processes()
            if len(processes) == 9 and sum(it.resident for it in processes) > 9 * 30 * MB:
                break
            time.sleep(0.01)
        assert room.too_much(processes) == "more than 4 processes"
        assert room.too_much(processes[:1]) == ""
        room.bounds = Bounds(processes=64, memory=100 * MB)
        assert soon(lambda: room.too_much(room.processes()) == "more than 100 MB of memory")
    finally:
        room.close()


def test_closing_a_room_ends_all_that_is_in_it(tmp_path: Path) -> None:
    def work() -> None:
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(1000)
                os._exit(0)
        time.sleep(1000)

    room = Room(work)
    assert soon(lambda: len([it for it in room.processes() if it.state == "S"]) == 4)
    place = os.readlink(f"/proc/{_child()}/ns/pid")
    assert _inhabitants(place) >= 4  # and three who are dead, but not buried
    room.close()
    assert _inhabitants(place) == 0


def _child() -> int:
    return int(Path("/proc/self/task", str(os.getpid()), "children").read_text().split()[-1])


def _inhabitants(namespace: str) -> int:
    count = 0
    for entry in Path("/proc").iterdir():
        try:
            count += entry.name.isdigit() and os.readlink(entry / "ns" / "pid") == namespace
        except OSError:
            continue
    return count


def test_a_run_dies_with_a_judge_that_is_killed(tmp_path: Path) -> None:
    mark = f"run-of-{os.getpid()}"

    def work() -> None:
        import ctypes

        ctypes.CDLL(None).prctl(15, mark[:15].encode(), 0, 0, 0)  # PR_SET_NAME
        if os.fork() == 0:
            os.setsid()
        time.sleep(1000)

    def alive() -> int:
        names = [
            it
            for it in Path("/proc").glob("[0-9]*/comm")
            if error_of(it.read_text) == "" and _reads(it, mark[:15])
        ]
        return len(names)

    judge = os.fork()
    if judge == 0:
        Room(work)
        time.sleep(1000)
    assert soon(lambda: alive() == 2)
    os.kill(judge, 9)
    os.waitpid(judge, 0)
    assert soon(lambda: alive() == 0)


def _reads(path: Path, text: str) -> bool:
    try:
        return path.read_text().strip() == text
    except OSError:
        return False


def test_a_signal_ends_a_run_and_its_code_is_told() -> None:
    room = Room(lambda: time.sleep(1000))
    room.signal(1, 9)
    assert ended(room) == -9
    room.close()


def test_what_is_no_plain_file_is_not_collected(tmp_path: Path) -> None:
    def work() -> None:
        os.symlink("/etc/passwd", EVIDENCE / "events-1.jsonl")
        os.mkfifo(EVIDENCE / "events-2.jsonl")
        (EVIDENCE / "events-3.jsonl").write_text("{}")
        (EVIDENCE / "other").write_text("x")
        (EVIDENCE / "weights-0-0.part").write_text("half")

    room = Room(work)
    assert ended(room) == 0
    assert room.collect(tmp_path) is False
    room.close()
    assert sorted(it.name for it in tmp_path.iterdir()) == ["events-3.jsonl", "output.txt"]


def test_a_room_that_cannot_be_made_is_the_kits_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from looplift.sandbox import run

    def refuse(*_: object) -> None:
        raise OSError(1, "not here")

    monkeypatch.setattr(run.root, "build", refuse)
    with pytest.raises(KitError, match="could not be enclosed.*not here"):
        Room(lambda: None)


AS_NOBODY = """
import os, sys
user = int(sys.argv[1])
if os.geteuid() == 0:
    from looplift.sandbox import kernel, root, room, run, space, calls, bounds, processes, files
    import looplift.sandbox, looplift.fault, importlib.util, time, encodings.idna, looplift.lesson
    prefix = sys.base_prefix
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    above = [str(it) for it in list(root.Path(prefix).parents)[-2::-1] if os.stat(it).st_mode & 0o005 != 0o005]
    if above:  # a home that others may not enter: hide it, and show the Python in it again
        kernel.mount(prefix, "/mnt", flags=kernel.MS_BIND | kernel.MS_REC)
        kernel.mount("tmpfs", above[0], "tmpfs", 0, "mode=755")
        os.makedirs(prefix)
        kernel.mount("/mnt", prefix, flags=kernel.MS_BIND | kernel.MS_REC)
    os.setgroups([]); os.setresgid(user, user, user); os.setresuid(user, user, user)
    kernel.set_dumpable()
from looplift.sandbox import available
from looplift.sandbox.room import Room
import time
print(repr(available()))
for _ in range(2):
    said = []
    room = Room(lambda: os._exit(40 + (os.getuid() == 1000) + (os.getpid() == 1)))
    while (code := room.poll()) is None:
        time.sleep(0.005)
    room.close()
    print(os.geteuid() == user, code)
sys.exit(7)
"""


def test_nobody_can_make_rooms_too() -> None:
    """Without root, where the kernel allows user namespaces to everybody."""
    user = 65534 if os.geteuid() == 0 else os.geteuid()
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(user)], capture_output=True, text=True, timeout=120
    )
    if "user namespace" in done.stdout or "unshare" in done.stdout:
        pytest.skip(done.stdout)
    assert (done.stdout.split("\n")[:3], done.returncode) == (["''", "True 42", "True 42"], 7), done.stderr
