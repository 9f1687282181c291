"""Importing once, before any fork, what the forks would all import."""

from __future__ import annotations

import importlib
import os

from looplift.judge.graded import GradedTests, load_graded
from looplift.lesson import Lesson


def warm(lesson: Lesson) -> GradedTests:
    """Import once what the lesson's exercise and a launch need, before any tensor work, one thread only.

    Measured: DDP imports torch._dynamo (1 s) in every rank unless it is there before the fork.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch

    torch.set_num_threads(1)
    warm_launch()
    scratch: dict[str, object] = {"__name__": "looplift_warm"}
    for cell in ("setup", "given"):
        exec(compile(lesson.cell_source(cell), f"{lesson.name} {cell}", "exec"), scratch)
    graded = load_graded(lesson)
    graded.task.model()  # imports the model's classes (2 s for DistilBERT)
    return graded


def warm_launch() -> None:
    """What every launch on two processes imports."""
    for name in ("accelerate", "torch._dynamo", "torch.distributed.launcher.api", "looplift.evidence.spies"):
        importlib.import_module(name)
