"""What a run's record says of its log is what is in the files; who prepares rows is seen whatever the timing."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from answered import solution

from looplift.checks.logbook import Logbook
from looplift.checks.losses import Wanted
from looplift.curve.reading import read_curves
from looplift.evidence import Evidence, Run
from looplift.evidence.recorder import Recorder
from looplift.evidence.scratch import Scratch
from looplift.hidden.plan import sizes_from
from looplift.judge import load_graded, warm
from looplift.lesson import find_lesson
from looplift.submission import Submission, read_answer

LESSON = find_lesson("tracking")
LOOP = solution(LESSON)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The model solution, run on two processes."""
    warm(LESSON)
    folder = tmp_path_factory.mktemp("runs")
    (folder / "answer.py").write_text(LOOP)
    submission = read_answer(folder / "answer.py", LESSON)
    sizes = sizes_from("practice", LESSON.name)
    return Evidence(LESSON, submission, load_graded(LESSON).task, sizes, folder).on(processes=2)


def test_the_record_holds_what_is_in_the_files(run: Run) -> None:
    (log,) = run.folder.glob("scratch-*/log")
    (curve,) = [it for it in read_curves(log) if it.tag == "loss"]
    noted = Logbook(run).series["loss"]
    assert [(it.step, it.value) for it in noted] == list(curve.points)
    assert len(curve.points) == len(run.steps(0)) > 4


def test_the_values_are_the_means_of_losses_that_differ_between_the_ranks(run: Run) -> None:
    wanted = Wanted(run)
    assert all(abs(one - other) > 1e-3 for one, other in wanted.steps)
    values = Logbook(run).series["loss"]
    assert all(wanted.fits(step, it.value) for step, it in enumerate(values))
    assert not any(wanted.fits(step, wanted.own[0][step]) for step in range(wanted.count))
    assert wanted.epochs == [0, wanted.count // 2]


def test_rows_that_only_fill_up_the_last_batch_may_be_left_out_of_its_mean(run: Run) -> None:
    wanted = Wanted(run)
    apart = [step for step in range(wanted.count) if abs(wanted.rows[step] - wanted.means[step]) > 1e-9]
    assert apart == [wanted.count // 2 - 1, wanted.count - 1]


def test_one_process_writes_and_closes_and_the_hyperparameters_are_there(run: Run) -> None:
    log = Logbook(run)
    assert log.ranks == [0] and log.left_open() == []
    sizes = run.plan.sizes
    assert {float(sizes.batch_size), float(sizes.epochs), 1e-3} <= set(log.hyperparameters)


def test_nothing_is_left_in_the_folder_of_whoever_asks(run: Run) -> None:
    assert not (Path.cwd() / "runs").exists() and not (Path.cwd() / "pets.pt").exists()


# rows that are prepared once


class Quiet(Recorder):
    """A recorder that keeps in memory what is noted."""

    def __init__(self, folder: Path, rank: int) -> None:
        super().__init__(folder, Submission("none", ()))
        self.rank = rank
        self.said: list[bool] = []

    def note(self, kind: str, **fields: object) -> None:
        if kind == "rows asked":
            self.said.append(bool(fields["there"]))


def ask_in(folder: Path, rank: int, before: float, waits: int = 0) -> int:
    """A rank that asks for rows in a process of its own, some seconds from now. Its exit code: 1 when it prepared."""
    pid = os.fork()
    if pid:
        return pid
    recorder = Quiet(folder, rank)
    scratch = object.__new__(Scratch)
    scratch.__dict__.update(folder=folder, _recorder=recorder, _processes=2, _rows=folder / "rows", _waits=0)
    time.sleep(before)
    for _ in range(waits):
        scratch.entered()
    scratch.ask()
    os._exit(0 if recorder.said[0] else 1)


def prepared_by(*pids: int) -> list[int]:
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


@pytest.mark.parametrize("late", [0.0, 0.6])
def test_two_that_do_not_wait_both_prepare_however_late_one_is(tmp_path: Path, late: float) -> None:
    assert prepared_by(ask_in(tmp_path, 0, 0.0), ask_in(tmp_path, 1, late)) == [1, 1]


def test_one_that_waits_in_a_call_which_the_other_has_not_reached_costs_no_time(tmp_path: Path) -> None:
    (tmp_path / "waits-1-1").touch()
    begun = time.monotonic()
    assert prepared_by(ask_in(tmp_path, 0, 0.0)) == [1]
    assert time.monotonic() - begun < 1.5
    assert prepared_by(ask_in(tmp_path, 1, 0.0, waits=1)) == [0]


def test_a_call_that_both_have_passed_is_no_wait(tmp_path: Path) -> None:
    (tmp_path / "waits-1-1").touch()
    first, second = ask_in(tmp_path, 0, 0.0, waits=1), ask_in(tmp_path, 1, 0.4, waits=1)
    assert prepared_by(first, second) == [1, 1]
