"""Tasks side by side: every one is done, and one that kills its process costs only itself."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from looplift.build.crew import Lost, done


def test_every_task_is_done_once_by_several_processes() -> None:
    def task(number: int) -> tuple[int, int]:
        time.sleep(0.02)
        return number * number, os.getpid()

    came = dict(done([partial(task, number) for number in range(8)], hands=2))
    assert [came[number][0] for number in range(8)] == [number * number for number in range(8)]
    assert len({pid for _, pid in came.values()}) == 2
    assert os.getpid() not in {pid for _, pid in came.values()}


def test_nothing_to_do_is_done_at_once() -> None:
    assert list(done([], hands=2)) == []


def test_a_task_that_raises_exits_or_dies_is_lost_and_the_others_are_done() -> None:
    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    tasks: list[Callable[[], object]] = [
        lambda: 1 / 0, lambda: sys.exit("no more"), die, lambda: os._exit(3), lambda: "done", lambda: "too",
    ]  # fmt: skip
    came = dict(done(tasks, hands=2))
    assert came == {
        0: Lost("ZeroDivisionError: division by zero"),
        1: Lost("SystemExit: no more"),
        2: Lost("its process was ended by SIGKILL"),
        3: Lost("its process ended itself"),
        4: "done",
        5: "too",
    }


def test_who_stops_asking_leaves_no_process_behind(tmp_path: Path) -> None:
    def task(number: int) -> int:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(0 if number == 0 else 60)
        return number

    coming = done([partial(task, number) for number in range(3)], hands=2)
    assert next(coming)[1] == 0
    coming.close()  # type: ignore[attr-defined]
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert 1 <= len(pids) <= 2
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
