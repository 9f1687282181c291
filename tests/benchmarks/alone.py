"""What the training alone costs: the runs that a verdict needs, nothing watched, judged or written down."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from cost import Cost
from school import LESSON, class_answers

from looplift.evidence.runner import free_port, prepare_environment, silence
from looplift.evidence.watch import Limits, fork_and_watch
from looplift.hidden.plan import Plan, sizes_from
from looplift.hidden.task import HiddenTask, Rows, loaders
from looplift.judge import PRACTICE, warm
from looplift.judge.graded import load_graded
from looplift.lesson import find_lesson
from looplift.submission import Submission, read_answer


def train_alone(count: int) -> Cost:
    """Train each answer of the class on two processes and on one, in forks of one process; what that costs in all.

    Over the rows and the model that a judged run has. Importing is not counted.
    """
    lesson = find_lesson(LESSON)
    warm(lesson)
    task = load_graded(lesson).task
    plan = Plan("training_loop", 2, sizes_from(PRACTICE, lesson.name, task.epochs))
    with tempfile.TemporaryDirectory(prefix="looplift-bench-") as place:
        answer, log = Path(place) / "answer.py", Path(place) / "log"
        log.mkdir()
        began, used = time.perf_counter(), _children()
        for text in class_answers(count).values():
            answer.write_text(text, encoding="utf-8")
            submission = read_answer(answer, lesson)
            fork_and_watch(lambda it=submission: _train(it, task, plan, log), log, Limits())
        return Cost(time.perf_counter() - began, _children() - used)


def _train(submission: Submission, task: HiddenTask, plan: Plan, log: Path) -> None:
    silence(log)
    prepare_environment(keep_flag=False)
    import accelerate.data_loader
    from accelerate import notebook_launcher

    # as in a judged run: saves a second in each rank
    accelerate.data_loader.is_datasets_available = lambda: False
    rows = [Rows(task.make_rows(plan.sizes, part)) for part in ("train", "eval")]
    ours: dict[str, Callable[..., Any]] = {
        "get_dataloaders": lambda batch_size: loaders(plan, *rows, batch_size),
        "make_model": lambda: task.make_model(plan.sizes),
    }
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in submission.cells:
        exec(compile(cell.source, cell.name, "exec"), namespace)
    namespace.update(ours)
    for processes in (2, 1):
        with suppress(Exception):  # half of the class is wrong
            notebook_launcher(
                namespace["training_loop"],
                plan.sizes.arguments,
                num_processes=processes,
                use_port=str(free_port()),
            )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
