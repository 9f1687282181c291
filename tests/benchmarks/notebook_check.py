"""The first `check(...)` in a notebook, against a bare launch of the same loop on two processes.

python tests/benchmarks/notebook_check.py [LESSON]... [--repeat N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from comparison import Comparison, table
from cost import Cost, environment, middle
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from looplift.evidence.runner import free_port
from looplift.lesson import Lesson, find_lesson, lessons
from looplift.submission.notebook import grade_id, source_of

sys.path.append(str(Path(__file__).parents[1] / "kit"))
from answered import answered, solution  # noqa: E402

TARGET = 3.0
# What a check launches: the loop over the rows, model and arguments of the hidden runs. No recorder, nothing judged.
_HIDDEN = """
import torch
from looplift.hidden.plan import Plan, sizes_from
from looplift.hidden.task import Rows, loaders
from looplift.judge import PRACTICE
from looplift.judge.graded import load_graded
from looplift.lesson import find_lesson

_task = load_graded(find_lesson({name!r})).task
_plan = Plan("training_loop", 2, sizes_from(PRACTICE, {name!r}, _task.epochs))
_rows = [Rows(_task.make_rows(_plan.sizes, part)) for part in ("train", "eval")]
get_dataloaders = lambda batch_size: loaders(_plan, *_rows, batch_size)
make_model = lambda: _task.make_model(_plan.sizes)
torch.set_default_dtype(torch.float64)
"""
_HIDDEN_LAUNCH = "notebook_launcher(training_loop, _plan.sizes.arguments, num_processes=2)"
_LAUNCHER = "num_processes=2)"
_USED = "sum(sum(__import__('resource').getrusage(who)[:2]) for who in (0, -1))"  # this process, its ended children


class Kernel:
    """A running kernel, asked as a notebook asks it."""

    def __init__(self, client: BlockingKernelClient, patience: float) -> None:
        self._client = client
        self._patience = patience

    def run(self, source: str) -> Cost:
        """Run a cell and say what it cost. Raises RuntimeError when it raises."""
        used = self.value(_USED)
        began = time.perf_counter()
        reply = self._client.execute_interactive(
            source, timeout=self._patience, allow_stdin=False, output_hook=lambda _: None
        )
        clock = time.perf_counter() - began
        if reply["content"]["status"] != "ok":
            raise RuntimeError("\n".join(reply["content"].get("traceback", [])) or f"failed: {source}")
        return Cost(clock, self.value(_USED) - used)

    def value(self, expression: str) -> float:
        """The value of an expression, without leaving a trace in the notebook's history."""
        reply = self._client.execute_interactive(
            "",
            silent=True,
            store_history=False,
            user_expressions={"it": expression},
            timeout=self._patience,
            output_hook=lambda _: None,
        )
        return float(reply["content"]["user_expressions"]["it"]["data"]["text/plain"])


@contextmanager
def kernel(patience: float = 600.0) -> Iterator[Kernel]:
    """A new kernel of this python; it is shut down afterwards. patience: seconds for one cell."""
    quiet = subprocess.DEVNULL
    manager, client = start_new_kernel(kernel_name="python3", env=environment(), stdout=quiet, stderr=quiet)
    try:
        yield Kernel(client, patience)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def on_free_port(launch: str) -> str:
    """The same launch, but on a port that is free: 29500 is one for the whole machine."""
    return launch.replace(_LAUNCHER, f"{_LAUNCHER[:-1]}, use_port={str(free_port())!r})")


def cells_before_launch(lesson: Lesson) -> tuple[list[str], str, str]:
    """(the cells that a student ran before, the launch, the first check) of the exercise, solved."""
    cells = [it for it in answered(lesson, solution(lesson))["cells"] if it["cell_type"] == "code"]
    names = [grade_id(it) for it in cells]
    launch = names.index("launch")
    check = next(index for index, name in enumerate(names) if name.startswith("check-"))
    sources = [source_of(it) for it in cells]
    return sources[:launch], sources[launch], sources[check]


@dataclass(frozen=True)
class Measured:
    """What three cells of one notebook cost: the first check, the exercise's launch, a launch of what a check runs."""

    check: Cost
    launch: Cost
    hidden: Cost


def measure(lesson: Lesson) -> Measured:
    """Measure in a new kernel, in which every cell above the launch was run, as a student does.

    Launches are run before and after the check, or twice, and count as the middle of the two.
    """
    before, launch, check = cells_before_launch(lesson)
    with kernel() as running:
        for source in before:
            running.run(on_free_port(source))
        launches = [running.run(on_free_port(launch))]
        checked = running.run(check)
        launches.append(running.run(on_free_port(launch)))
        running.run(_HIDDEN.format(name=lesson.name))
        hidden = [running.run(on_free_port(_HIDDEN_LAUNCH)) for _ in range(2)]
    return Measured(checked, middle(launches), middle(hidden))


def compare(lesson: Lesson, repeat: int) -> list[Comparison]:
    """Measure in so many kernels, one after the other; against either launch.

    The target is about the loop as the exercise launches it. A check's own rows are few, so that a launch over them
    is little more than the start of two processes, and a check makes up to four such runs.
    """
    found = [measure(lesson) for _ in range(repeat)]
    checks = tuple(it.check for it in found)
    return [
        Comparison(f"{lesson.name}, its own rows", checks, tuple(it.launch for it in found), TARGET),
        Comparison(f"{lesson.name}, the check's rows", checks, tuple(it.hidden for it in found)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lesson", nargs="*", help="lessons; all when none is given")
    parser.add_argument("--repeat", type=int, default=3, help="kernels for each lesson")
    asked = parser.parse_args()
    chosen = [find_lesson(it) for it in asked.lesson] or lessons()
    found = [it for lesson in chosen for it in compare(lesson, asked.repeat)]
    print(
        table("the first check(...)", "a bare notebook_launcher(training_loop, args, num_processes=2)", found)
    )


if __name__ == "__main__":
    main()
