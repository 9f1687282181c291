"""The pool: jobs judged in forks of a warm process that has nothing of a course in its memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool_cases import BACKWARD, ENDLESS, LESSON, SOLUTION, WRONG, job, left_over, marked

from looplift.classroom.warmth import warm_judges
from looplift.fault import KitError
from looplift.pool import Job, Worker, hidden_sizes, verdicts
from looplift.pool.scratch import PREFIX, Scratch, sweep
from looplift.pool.zygote import unsafe_to_fork
from looplift.verdict import Verdict

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker(sandbox=False) as made:
        made.prepare(LESSON.name)
        yield made


def test_a_job_survives_the_way_to_another_machine_and_does_not_tell_the_secret() -> None:
    it = job(secret="between us")
    assert Job.from_bytes(it.to_bytes()) == it
    assert b"between us" not in it.to_bytes()
    assert hidden_sizes("between us", LESSON.name) == it.sizes != hidden_sizes("other", LESSON.name)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"key": 1}', b"\xff", job().to_bytes()[:-9]])
def test_what_is_no_job_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a job"):
        Job.from_bytes(data)


def test_every_job_gets_its_own_verdict_several_at_once(worker: Worker) -> None:
    jobs = [
        job(SOLUTION, "right"),
        job(WRONG, "wrong"),
        job("x = 1", "nothing"),
        job(SOLUTION + "# again\n", "too"),
    ]
    told: list[str] = []
    made = list(verdicts(worker, jobs, 2, lambda it, what: told.append(it.key)))
    points = {it.key: verdict.points for it, verdict in made if isinstance(verdict, Verdict)}
    assert points == {"right": 10.0, "wrong": BACKWARD, "nothing": 0.0, "too": 10.0}
    assert len(made) == 4
    assert set(told) == {it.key for it in jobs}


def test_a_run_cannot_speak_for_the_judge(worker: Worker) -> None:
    """What a submission writes into whatever is open does not reach whoever waits for the verdict."""
    forging = (
        "import os\nfor number in range(3, 64):\n    try:\n"
        '        os.write(number, b\'{"failed": "forged"}\\n\')\n    except OSError:\n        pass\n'
    )
    assert worker.judge(job(WRONG + forging)).points <= BACKWARD


@LINUX
def test_when_the_warm_process_is_killed_the_job_is_done_by_another(worker: Worker) -> None:
    heard = threading.Event()
    killed: list[int] = []

    def kill(what: str) -> None:
        if not killed and "training_loop" in what:
            killed.append(worker._process.pid)
            os.kill(worker._process.pid, signal.SIGKILL)
            heard.set()

    assert worker.judge(job(), kill).points == 10.0
    assert heard.is_set() and worker._process.pid != killed[0]


def test_a_lesson_that_is_not_there_is_told_in_a_sentence(worker: Worker) -> None:
    with pytest.raises(KitError, match="No lesson is called"):
        worker.judge(Job("key", "99_nothing", "exercise.ipynb", b"{}", job().sizes))


def test_what_is_no_notebook_is_a_flagged_verdict_not_a_failure(worker: Worker) -> None:
    verdict = worker.judge(Job("key", LESSON.name, "exercise.ipynb", b"{ no", job().sizes))
    assert (verdict.points, len(verdict.checks)) == (0.0, 5)
    assert "not a notebook" in verdict.flag


@LINUX
def test_closing_a_worker_ends_what_it_runs_and_leaves_no_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mark = f"mark-{uuid.uuid4()}"
    monkeypatch.setenv("LOOPLIFT_MARK", mark)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    worker = Worker(sandbox=False)
    try:
        asked = worker.ask(job(ENDLESS))
        while not any("training_loop" in what for what in asked.hear()):
            assert not asked.done
        assert len(marked(mark)) >= 2
    finally:
        worker.close()
    worker.close()
    assert left_over(mark) == set()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KitError, match="has been ended"):
        worker.judge(job())


@LINUX
def test_where_a_fork_is_unsafe_each_job_gets_a_program_of_its_own_and_that_is_said_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    said: list[str] = []
    with Worker(sandbox=False, warn=said.append) as worker:
        none = Job("two", "99_nothing", "exercise.ipynb", b"{}", job().sizes)
        made = {it.key: outcome for it, outcome in verdicts(worker, [job(WRONG, "one"), none], 1)}
    assert isinstance(made["one"], Verdict) and made["one"].points == BACKWARD
    assert "No lesson is called" in str(made["two"])
    assert len(said) == 1
    assert said[0].startswith(
        "each submission imports everything anew, which is slow: importing started 1 thread"
    )


def test_a_process_with_threads_is_not_forked() -> None:
    program = (
        "import threading; from looplift.pool.zygote import unsafe_to_fork as unsafe; print(repr(unsafe()));"
        "stop = threading.Event(); threading.Thread(target=stop.wait).start(); print(unsafe()); stop.set()"
    )
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["''", "importing started 1 thread, which a fork would not have"]
    assert callable(unsafe_to_fork)


def test_folders_of_workers_that_are_gone_are_swept_up_and_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mine = Scratch()
    gone = tmp_path / f"{PREFIX}gone"
    gone.mkdir()
    (gone / "lock").write_text("")
    (gone / "job").write_text("a submission")
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True
    )
    (tmp_path / f"{PREFIX}{dead.stdout.strip()}-abc").mkdir()  # killed before it could lock its folder
    young = tmp_path / f"{PREFIX}{os.getpid()}-young"  # it may be about to get its lock
    young.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(young)
    half = tmp_path / f"{PREFIX}gone-half"  # whoever was removing it was killed, the lock already gone
    (half / "job").mkdir(parents=True)
    sweep(tmp_path)
    assert sorted(it.name for it in tmp_path.iterdir()) == sorted(
        [mine.folder.name, young.name, f"{PREFIX}link"]
    )
    mine.remove()
    assert not mine.folder.exists()


def test_where_there_is_nothing_to_judge_folders_are_swept_up_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    idle = tmp_path / f"{PREFIX}1-idle"  # of a run that was killed after its last verdict
    idle.mkdir()
    (idle / "lock").touch()
    with warm_judges(sandbox=False):
        assert list(tmp_path.iterdir()) == []
