"""A cluster that fails: nobody there, other versions, workers that die, a scheduler that dies, an interrupt."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from classroom_cases import hand_in, released_course
from pool_cases import ENDLESS, SOLUTION, job, left_over, marked
from typer.testing import CliRunner

pytest.importorskip("distributed", reason="needs the extra `cluster`")
from clustered import Machine, Machines, other_version, wait_for  # noqa: E402

import looplift.cluster.judges  # noqa: E402
from looplift.cluster import cluster_judges  # noqa: E402
from looplift.commands import app  # noqa: E402
from looplift.fault import KitError  # noqa: E402
from looplift.pool import Job  # noqa: E402
from looplift.verdict import Verdict  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
NOWHERE = "tcp://127.0.0.1:9"


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    made = Machines(tmp_path_factory.mktemp("machines"))
    yield made
    made.end()


@pytest.fixture(scope="module")
def scheduler(machines: Machines) -> str:
    """One that gives a job up when the first worker has died of it."""
    return machines.start_scheduler(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")


def judged(
    address: str, tell: Callable[[Job, str], None], answer: str = SOLUTION
) -> list[Verdict | KitError]:
    """What comes of one job. tell: called when a worker begins with it."""
    with cluster_judges(address, sandbox=False, patience=1.0) as judges:
        return [made for _, made in judges([job(answer)], tell)]


def nothing(job: Job, what: str) -> None:
    """Told of a job, and does nothing."""


def test_an_address_where_no_scheduler_is_is_told_in_one_line(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    hand_in(course, "ann")
    done = CliRunner().invoke(app, ["grade", str(course.folder), "--cluster", NOWHERE])
    assert done.exit_code == 2
    assert done.stderr == (
        f"looplift: no Dask scheduler answers at {NOWHERE}: "
        "start one there with `dask scheduler`, or mend the address.\n"
    )


def test_a_cluster_is_not_asked_when_there_is_nothing_to_judge(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    done = CliRunner().invoke(app, ["grade", str(course.folder), "--cluster", NOWHERE])
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize("address", ["carrier-pigeon://there", "tls://127.0.0.1:9"])
def test_an_address_that_dask_cannot_use_is_told(address: str) -> None:
    with pytest.raises(KitError, match=f"{address} cannot be used as a Dask scheduler"):
        judged(address, nothing)


def test_without_the_extra_it_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looplift.cluster.judges, "find_spec", lambda name: None)
    done = CliRunner().invoke(app, ["grade", str(released_course(tmp_path).folder), "--cluster", NOWHERE])
    assert done.exit_code == 2
    assert (
        done.stderr == "looplift: grading on a cluster needs distributed: pip install 'looplift[cluster]'\n"
    )


def test_a_scheduler_without_workers_is_told(scheduler: str) -> None:
    with pytest.raises(
        KitError, match="has had no worker to judge for 1 seconds: start some with `dask worker`"
    ):
        judged(scheduler, nothing)


def test_a_worker_of_another_version_is_refused_by_name_before_anything_is_sent(
    tmp_path: Path, machines: Machines, scheduler: str
) -> None:
    other = machines.start_worker(scheduler, other_version(tmp_path / "other"))
    with pytest.raises(KitError) as refused:
        judged(scheduler, nothing)
    stop(other)
    assert str(refused.value) == (
        f"the worker at {other.address} has looplift 9.9 (here {looplift.__version__}). Nothing was sent. "
        "Install the versions that are here on every worker, or stop those workers."
    )


def test_an_interrupt_ends_what_the_workers_do(machines: Machines, scheduler: str) -> None:
    worker = machines.start_worker(scheduler)
    before = marked(worker.mark)

    def interrupt(job: Job, what: str) -> None:
        assert marked(worker.mark) > before
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judged(scheduler, interrupt, ENDLESS)
    wait_for(lambda: marked(worker.mark) == before, worker)
    stop(worker)


def test_what_kills_its_workers_is_not_judged_for_ever(machines: Machines, scheduler: str) -> None:
    worker = machines.start_worker(scheduler)
    (made,) = judged(scheduler, lambda job, what: worker.process.kill())
    assert isinstance(made, KitError)
    assert str(made) == "1 worker died while it was judged"
    assert left_over(worker.mark) == set()


def test_a_scheduler_that_dies_is_told_and_the_worker_ends_what_it_did(machines: Machines) -> None:
    address = machines.start_scheduler()
    scheduler = machines.scheduler
    worker = machines.start_worker(address)
    with pytest.raises(
        KitError, match=f"the Dask scheduler at {address} is gone. What has been judged is kept"
    ):
        judged(address, lambda job, what: scheduler.process.kill())
    assert left_over(worker.mark, 120) == set()  # Dask lets it end its job first


def stop(machine: Machine) -> None:
    machine.process.terminate()
    machine.process.wait(60)
