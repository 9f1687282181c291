"""Grading on a Dask cluster: a real scheduler and real workers, in processes of their own."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from answered import answered
from classroom_cases import CHECKS, Course, hand_in, recorded, released_course
from click.testing import Result
from pool_cases import BACKWARD, LESSON, SOLUTION, WRONG, job, left_over, marked
from typer.testing import CliRunner

pytest.importorskip("distributed", reason="needs the extra `cluster`")
from clustered import Machine, Machines, other_version, unpacked_wheel, wait_for  # noqa: E402

import looplift  # noqa: E402
from looplift.cluster import cluster_judges  # noqa: E402
from looplift.commands import app  # noqa: E402
from looplift.pool import Job  # noqa: E402
from looplift.sandbox import available  # noqa: E402
from looplift.verdict import Verdict  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
STUB = "def training_loop(batch_size=16, epochs=3, seed=42):\n    raise NotImplementedError()\n"
STUDENTS = {"ann": SOLUTION, "bob": WRONG, "cy": STUB}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    made = Machines(tmp_path_factory.mktemp("machines"))
    yield made
    made.end()


@pytest.fixture(scope="module")
def scheduler(machines: Machines) -> str:
    return machines.start_scheduler()


@pytest.fixture(scope="module")
def worker(machines: Machines, scheduler: str, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A worker that has nothing but the wheel, as Dask starts them: under a nanny."""
    return machines.start_worker(scheduler, unpacked_wheel(tmp_path_factory.mktemp("wheel")), ("--nanny",))


def grade(course: Course, *words: str) -> Result:
    """`looplift grade`, as an instructor calls it."""
    contained = [] if not available() else ["--no-sandbox"]
    done = CliRunner().invoke(app, ["grade", str(course.folder), "--no-feedback", *contained, *words])
    assert done.exit_code == 0, done.output
    return done


def handed_in(folder: Path) -> Course:
    folder.mkdir()
    course = released_course(folder)
    for student, answer in STUDENTS.items():
        hand_in(course, student, answered(LESSON, answer))
    return course


def kept(course: Course) -> list[Verdict]:
    """The verdicts, apart from what the secret of the course makes of them."""
    found = [Verdict.from_json(it.read_text()) for it in course.verdicts.glob("*.json")]
    return sorted(found, key=lambda it: it.points)


def test_a_cluster_leads_to_the_same_gradebook_as_this_machine(
    tmp_path: Path, scheduler: str, worker: Machine
) -> None:
    here, there = handed_in(tmp_path / "here"), handed_in(tmp_path / "there")
    there.secret_file.write_text(here.secret)
    done = grade(there, "--cluster", scheduler)
    grade(here)
    assert {student: recorded(there, student) for student in STUDENTS} == {
        student: recorded(here, student) for student in STUDENTS
    }
    assert sum(score or 0 for score, _ in recorded(there, "ann").values()) == sum(CHECKS.values())
    assert sum(score or 0 for score, _ in recorded(there, "bob").values()) == BACKWARD
    assert kept(there) == kept(here)
    assert sorted(it.name for it in there.verdicts.iterdir()) == sorted(
        it.name for it in here.verdicts.iterdir()
    )
    assert len(kept(there)) == len(STUDENTS)
    assert "judging 3/3: 1 passed, 2 something to mend" in done.stderr
    assert here.secret not in worker.log.read_text()
    assert not_ended(worker) == set()


def not_ended(worker: Machine) -> set[int]:
    """Warm processes that a worker keeps although nobody needs them."""
    until = time.monotonic() + 20
    while (found := {it for it in marked(worker.mark) if is_warm(it)}) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def is_warm(pid: int) -> bool:
    try:
        return "looplift.pool.zygote" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def test_what_a_killed_worker_judged_is_judged_by_another_but_not_by_one_of_another_version(
    tmp_path: Path, machines: Machines, scheduler: str, worker: Machine
) -> None:
    victim = machines.start_worker(scheduler)
    others: list[Machine] = []
    said: list[str] = []
    points: dict[str, float] = {}
    out: list[int] = []  # how many jobs are out, each time that one is asked for

    def jobs() -> Iterator[Job]:
        every = {
            "ann": SOLUTION,
            "bob": STUB,
            "cy": WRONG,
            "dee": "x = 1",
            "eve": STUB + "\n",
            "flo": "x = 2",
        }
        for number, (student, answer) in enumerate(every.items()):
            if number == 3:
                wait_for(lambda: victim.judging, victim)
                others.append(machines.start_worker(scheduler, other_version(tmp_path / "other")))
                victim.process.kill()
            out.append(number - len(points))
            yield job(answer, student)

    with cluster_judges(scheduler, sandbox=False, warn=said.append) as judges:
        for it, made in judges(jobs(), lambda it, what: None):
            assert isinstance(made, Verdict), made
            points[it.key] = made.points
    assert points == {"ann": 10.0, "bob": 0.0, "cy": BACKWARD, "dee": 0.0, "eve": 0.0, "flo": 0.0}
    assert said == [
        f"the worker at {others[0].address} has looplift 9.9 (here {looplift.__version__}). Nothing more is sent there."
    ]
    assert len(out) == 6 and max(out) <= 3  # besides the one that is asked for: two for each of two threads
    assert left_over(victim.mark) == set()
