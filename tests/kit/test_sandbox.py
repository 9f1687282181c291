"""The sandbox: what a run finds in its room, and what it may not do there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from rooms import error_of, found

from looplift.sandbox import available
from looplift.sandbox.bounds import MB, Bounds

pytestmark = pytest.mark.skipif(bool(available()), reason=available() or "-")


def test_a_run_finds_the_kit_and_python_and_no_more(tmp_path: Path) -> None:
    def look() -> dict[str, object]:
        import looplift

        return {
            "roots": sorted(os.listdir("/")),
            "kit": os.path.exists(looplift.__file__),
            "clone": sorted(os.listdir(Path(looplift.__file__).parent.parent)),
            "here": os.getcwd(),
            "home": os.environ["HOME"],
            "etc": sorted(os.listdir("/etc")),
            "ids": [os.getuid(), os.getgid(), os.getpid()],
            "torch": os.path.exists(torch),
        }

    import importlib.util

    spec = importlib.util.find_spec("torch")
    assert spec is not None
    torch = str(spec.origin)
    it = found(look, tmp_path)
    assert isinstance(it, dict)
    assert (it["kit"], it["torch"], it["ids"]) == (True, True, [1000, 1000, 1])
    assert (it["here"], it["home"]) == ("/scratch", "/scratch")
    assert set(it["etc"]) <= {"group", "hosts", "ld.so.cache", "nsswitch.conf", "passwd"}
    assert not {"lessons", "solutions", "tests", "README.md"} & set(it["clone"])
    assert not {"sys", "home", "var", "opt", "mnt", "boot"} & (
        set(it["roots"]) - set(Path(sys.base_prefix).parts)
    )


def test_nothing_can_be_written_but_in_its_own_folders(tmp_path: Path) -> None:
    def look() -> dict[str, str]:
        import looplift

        kit = Path(looplift.__file__).parent
        places = ["/x", "/etc/x", "/usr/x", "/dev/x", f"{kit}/x", f"{sys.prefix}/lib/x"]
        places += [
            "/proc/sys/kernel/core_pattern",
            "/scratch/x",
            "/tmp/x",
            "/dev/shm/x",
            "/evidence/stack-1.txt",
        ]
        return {place: error_of(lambda place=place: Path(place).write_text("x")) for place in places}

    it = found(look, tmp_path)
    assert isinstance(it, dict)
    own = [place for place, error in it.items() if not error]
    assert own == ["/scratch/x", "/tmp/x", "/dev/shm/x", "/evidence/stack-1.txt"]
    assert len(it) == 11


def test_its_folders_are_small(tmp_path: Path) -> None:
    def fill(place: str) -> int:
        total = 0
        try:
            for number in range(100):
                with open(f"{place}/{number}", "wb", buffering=0) as file:
                    for _ in range(10):
                        total += file.write(bytes(MB))
        except OSError:
            pass
        for number in range(100):
            Path(place, str(number)).unlink(missing_ok=True)
        return total // MB

    bounds = Bounds(scratch=24 * MB, evidence=8 * MB, output=4 * MB, file=5 * MB)
    it = found(
        lambda: [fill(place) for place in ("/scratch", "/evidence", "/output", "/dev/shm")], tmp_path, bounds
    )
    assert isinstance(it, list)
    assert it[0] <= 5 and it[1] <= 5 and it[2] <= 4 and it[3] <= 5


def test_it_has_no_right_and_gains_none(tmp_path: Path) -> None:
    def look() -> dict[str, str]:
        lines = Path("/proc/self/status").read_text().splitlines()
        return {name: value.strip() for name, _, value in (it.partition(":") for it in lines)}

    it = found(look, tmp_path)
    assert isinstance(it, dict)
    assert [it[name].strip("0") for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")] == [""] * 5
    assert (it["NoNewPrivs"], it["Seccomp"]) == ("1", "2")


def test_calls_that_no_loop_needs_are_refused(tmp_path: Path) -> None:
    def look() -> list[int]:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        calls = [
            lambda: libc.unshare(0x10000000),
            lambda: libc.ptrace(0, 0, 0, 0),
            lambda: libc.mount(b"none", b"/scratch", b"tmpfs", 0, None),
            lambda: libc.shmget(0, 4096, 0o1600),
            lambda: libc.memfd_create(b"x", 0),
            lambda: libc.socket(40, 1, 0),  # vsock
            lambda: libc.setns(0, 0),
        ]
        return [call() for call in calls]

    assert found(look, tmp_path) == [-1] * 7


def test_its_network_is_its_own(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def look() -> list[object]:
            names = [name for _, name in socket.if_nameindex()]
            there = error_of(lambda: socket.create_connection(("127.0.0.1", port), timeout=5))
            with socket.create_server(("127.0.0.1", 29500)) as own:
                socket.create_connection(own.getsockname(), timeout=5).close()
            return [names, there, socket.gethostname()]

        assert found(look, tmp_path) == [["lo"], "ConnectionRefusedError", "localhost"]


def test_the_environment_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hush")

    def look() -> list[object]:
        block = Path("/proc/self/environ").read_bytes().replace(b"\0", b"\n").decode()
        return ["SECRET_TOKEN" in os.environ, sorted(block.split())]

    it = found(look, tmp_path)
    assert isinstance(it, list)
    assert it[0] is False
    assert all(name.split("=")[0] not in ("HOME", "USER", "PWD", "SECRET_TOKEN") for name in it[1])


def test_what_the_judge_has_open_is_closed(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w"):
        assert (
            found(lambda: [it for it in range(3, 64) if not error_of(lambda it=it: os.fstat(it))], tmp_path)
            == []
        )
