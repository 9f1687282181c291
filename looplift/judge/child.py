"""The forked side of judging: a process that judges one submission and leaves the verdict in a file."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from looplift import __version__
from looplift.evidence.watch import adopt_orphans, die_with_parent, end_children
from looplift.hidden.plan import sizes_from
from looplift.judge.case import Case
from looplift.judge.graded import GradedTests
from looplift.judge.judge import PRACTICE, judge
from looplift.judge.warming import warm_launch
from looplift.submission import SubmissionError
from looplift.verdict import Finding, Verdict, all_failed
from looplift.verdict.left import leave, leave_failure


def judge_and_leave(case: Case, graded: GradedTests, folder: Path, tell: Callable[[str], None]) -> NoReturn:
    """Judge in this process, just forked for it, leave the outcome in `folder`, end all it started, and end."""
    try:
        _on_its_own()
        warm_launch()
        graded.task.model()  # imports its classes once, not in every run
        leave(folder, _verdict(case, graded, folder, tell))
    except BaseException as error:  # noqa: BLE001 - told to the parent, which raises it
        import traceback

        leave_failure(folder, error, traceback.format_exc())
    finally:
        end_children()
        os._exit(0)


def _on_its_own() -> None:
    """A session of its own, no terminal, one thread; it dies with its parent and what it starts dies with it."""
    os.setsid()
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the runs are ended on the way out
    adopt_orphans()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    import torch

    torch.set_num_threads(1)


def _verdict(case: Case, graded: GradedTests, folder: Path, tell: Callable[[str], None]) -> Verdict:
    sizes = case.sizes or sizes_from(PRACTICE, case.lesson.name, graded.task.epochs)
    try:
        submission = case.read()
        return judge(case.lesson, graded, submission, sizes, folder, case.live, tell, case.sandbox)
    except SubmissionError as error:
        return unreadable(case, graded, error)


def unreadable(case: Case, graded: GradedTests, error: SubmissionError) -> Verdict:
    """The verdict on a submission that cannot be read: nothing earned, flagged for a person."""
    finding = Finding(error.id, error.reason, next="hand in the exercise notebook as Jupyter saves it")
    checks = all_failed(graded.table, finding)
    return Verdict(case.lesson.name, case.name, checks, flag=error.reason, kit=__version__)
