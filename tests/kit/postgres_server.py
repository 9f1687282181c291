"""A real PostgreSQL server for tests: made in a folder of its own, reached by a socket in it, gone afterwards."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FAST = ["-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=30", "-c", "autovacuum=off"]


def find_program(name: str) -> str:
    """One of PostgreSQL's programs; Debian keeps them out of PATH. Without it tests are skipped, in CI they fail."""
    there = shutil.which(name)
    found = (
        [there] if there else [str(it) for it in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))]
    )
    if not found:
        missing(
            f"no PostgreSQL server on this machine: {name} is neither in PATH nor under /usr/lib/postgresql"
        )
    return found[-1]


def missing(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


class Server:
    """A server that listens on no network. PostgreSQL refuses to run as root: root lends it another user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._who: dict[str, object] = {}
        if os.geteuid() == 0:
            user = _unprivileged()
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        command = [find_program("initdb"), "-D", str(folder / "data"), "--username=teacher", "--auth=trust"]
        command += ["--encoding=UTF8", "--locale=C", "--no-sync"]
        done = subprocess.run(command, cwd="/", capture_output=True, **self._who)  # type: ignore[call-overload]
        assert done.returncode == 0, done.stderr.decode()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [find_program("postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder), *FAST]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # type: ignore[call-overload]
                [*command, "-c", "listen_addresses="], cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, **self._who,
            )  # fmt: skip
        until = time.monotonic() + 120
        while not self._ready():
            assert self._process.poll() is None and time.monotonic() < until, (
                self.folder / "log"
            ).read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        """End it, whoever is connected. Safe to call twice."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
            self._process.wait(60)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return int(self._process.pid)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://teacher@/{database}?host={self.folder}"

    def make(self, database: str) -> str:
        """Make a database; its address."""
        import psycopg

        with psycopg.connect(
            f"host={self.folder} user=teacher dbname=postgres", autocommit=True
        ) as connection:
            connection.execute(f'CREATE DATABASE "{database}"')
        return self.url(database)

    def _ready(self) -> bool:
        import psycopg

        try:
            psycopg.connect(f"host={self.folder} user=teacher dbname=postgres", connect_timeout=10).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running_server() -> Iterator[Server]:
    """A server of one's own. In a folder of its own below the system's: that of pytest is closed to other users."""
    find_program("postgres")
    if importlib.util.find_spec("psycopg") is None:
        missing("psycopg is not installed: pip install 'looplift[postgres]'")
    folder = Path(tempfile.mkdtemp(prefix="looplift-pg-"))
    try:
        server = Server(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("root has no other user to run PostgreSQL as")
