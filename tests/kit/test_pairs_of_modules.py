"""The proof that before.py and after.py are one training: what it says of pairs that are not. And both are programs.

`looplift build --check`, which `make test` runs first, asks it of every lesson.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cloned import Clone, clone_of, said

from looplift.build.proof import check_proof
from looplift.lesson import find_lesson

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    return clone_of(["02_warmup_schedule", "03_honest_metrics"], tmp_path, monkeypatch, lambda file: False)


def test_a_scheduler_that_was_not_prepared_is_noticed_and_so_is_another_print(clone: Clone) -> None:
    lesson = clone.lesson("02")
    clone.change(
        lesson.after,
        "model, optimizer, train_loader, lr_scheduler = accelerator.prepare(\n"
        "        model, optimizer, train_loader, lr_scheduler\n"
        "    )",
        "model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)",
    )
    clone.change(lesson.after, "next rate", "the next rate")
    told = said(check_proof(lesson))
    assert told[0] == "on one process before.py and after.py print different lines (before.py, after.py)"
    [apart] = re.findall(
        "^after.py on two processes with batches of 4 ends (.+) away from before.py with batches of 8 ",
        told[1],
    )
    assert float(apart) > 1e-3
    assert len(told) == 2


def test_a_metric_that_differs_between_processes_is_noticed(clone: Clone) -> None:
    lesson = clone.lesson("03")
    clone.change(
        lesson.after, "accelerator.gather_for_metrics((predictions, labels))", "(predictions, labels)"
    )
    [problem] = said(check_proof(lesson))
    assert problem.startswith("before.py and the processes of after.py give back different numbers (0.")


# programs


def run(command: list[str]) -> tuple[int, str, str]:
    """(exit status, stdout, stderr) of a command in lesson 01's folder."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "OMP_NUM_THREADS": "1",
        "ACCELERATE_USE_CPU": "yes",
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
    }
    done = subprocess.run(
        command, cwd=find_lesson("01").folder, env=env, capture_output=True, text=True, timeout=240
    )
    return done.returncode, done.stdout, done.stderr


def test_after_runs_under_accelerate_launch() -> None:
    command = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "after.py", "--epochs", "1"]
    status, told, complained = run(command)
    assert status == 0, complained
    assert told.startswith("epoch 0: loss ")
