"""A training step of lesson 01 with the recorder watching, against the same step without.

python tests/benchmarks/recording.py [--repeat N] [--epochs N]
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from comparison import Comparison, table
from cost import Cost

from looplift.lesson import Lesson, find_lesson
from looplift.submission import Submission, read_answer

sys.path.append(str(Path(__file__).parents[1] / "kit"))
from answered import solution  # noqa: E402

TARGET = 1.25
WARM_UP = 5  # steps that are not counted: the first ones fill caches


def prepare() -> None:
    """Import what the loop needs, for all forks at once, on one thread."""
    os.environ.update(OMP_NUM_THREADS="1", ACCELERATE_USE_CPU="yes", HF_HUB_OFFLINE="1")
    import torch

    from looplift.judge import warm

    torch.set_num_threads(1)
    warm(find_lesson("01"))


def solved(lesson: Lesson, folder: Path) -> Submission:
    """The lesson's model solution, as a submission."""
    answer = folder / "answer.py"
    answer.write_text(solution(lesson), encoding="utf-8")
    return read_answer(answer, lesson)


def bare_loop(submission: Submission) -> Callable[..., Any]:
    """The exercise's loop over its own model and batches."""
    namespace: dict[str, Any] = {"__name__": "exercise"}
    for cell in submission.cells:
        exec(compile(cell.source, cell.name, "exec"), namespace)
    loop: Callable[..., Any] = namespace["training_loop"]
    return loop


def recorded_loop(submission: Submission, folder: Path) -> Callable[..., Any]:
    """The same, with every spy in place and its model and batches known, as in a judged run."""
    from looplift.evidence import spies
    from looplift.evidence.recorder import Recorder
    from looplift.evidence.spies.gradients import watch_model
    from looplift.evidence.spies.loaders import remember_rows
    from looplift.evidence.spies.steps import follow

    recorder = Recorder(folder, submission)
    spies.install(recorder)
    loop = bare_loop(submission)
    namespace = loop.__globals__
    their_loaders, their_model = namespace["get_dataloaders"], namespace["make_model"]

    def get_dataloaders(batch_size: int) -> Any:
        made = their_loaders(batch_size)
        for part, loader in zip(("train", "eval"), made, strict=True):
            recorder.datasets[id(loader.dataset)] = f"{part}_loader"
            rows = [loader.dataset[index]["input_ids"] for index in range(len(loader.dataset))]
            remember_rows(recorder, part, rows)
        recorder.keep(*made)
        return made

    def make_model() -> Any:
        model = their_model()
        follow(len(recorder.models), watch_model(recorder, model))
        return model

    namespace.update(get_dataloaders=get_dataloaders, make_model=make_model)
    recorder.enter_rank()
    return loop


def step_of(loop: Callable[..., Any], epochs: int) -> Cost:
    """What a step of the loop costs: the median over all steps, from one optimizer step to the next."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    marks: list[Cost] = []
    register_optimizer_step_post_hook(lambda *_: marks.append(Cost(time.perf_counter(), time.process_time())))
    loop(16, epochs, 42)
    pairs = list(itertools.pairwise(marks))[WARM_UP:]
    return Cost(
        statistics.median(b.clock - a.clock for a, b in pairs),
        statistics.median(b.processor - a.processor for a, b in pairs),
    )


def in_fork(work: Callable[[], Cost]) -> Cost:
    """Do it in a process of its own, so that spies and hooks end with it. Raises RuntimeError when it fails."""
    forks = multiprocessing.get_context("fork")
    receive, send = forks.Pipe(duplex=False)

    def do() -> None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - as long as the process
        send.send(work())

    process = forks.Process(target=do)
    process.start()
    send.close()
    try:
        return receive.recv()
    except EOFError:
        raise RuntimeError("a measured process ended without a result; its error stands above") from None
    finally:
        process.join()


def compare(repeat: int, epochs: int) -> Comparison:
    """Train with the recorder and without, in turns, so many times."""
    prepare()
    ours, peer = [], []
    with tempfile.TemporaryDirectory(prefix="looplift-bench-") as place:
        submission = solved(find_lesson("01"), Path(place))
        for index in range(repeat):
            journal = Path(place) / f"journal-{index}"
            journal.mkdir()
            ours.append(in_fork(lambda at=journal: step_of(recorded_loop(submission, at), epochs)))
            if not any(journal.glob("events-*.jsonl")):
                raise RuntimeError("the recorder wrote nothing down: this would be no comparison")
            peer.append(in_fork(lambda: step_of(bare_loop(submission), epochs)))
    return Comparison("a step of lesson 01", tuple(ours), tuple(peer), TARGET)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=7, help="pairs of trainings")
    parser.add_argument("--epochs", type=int, default=3, help="epochs of a training, 60 steps each")
    asked = parser.parse_args()
    found = [compare(asked.repeat, asked.epochs)]
    print(table("the model solution's loop, recorded, on one process", "the same loop, not recorded", found))


if __name__ == "__main__":
    main()
