"""One run, in a process of its own: load the submission, put hidden data in place, launch the loop for real."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from looplift.evidence.recorder import Recorder
from looplift.hidden.plan import Plan
from looplift.hidden.task import HiddenTask
from looplift.submission import Submission

if TYPE_CHECKING:
    from looplift.evidence.launcher import Launcher


@dataclass(frozen=True)
class Live:
    """A function that already exists in a running notebook, and the namespace it looks names up in."""

    function: Callable[..., Any]
    namespace: dict[str, Any]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def prepare_environment(keep_flag: bool, dtype: str = "float64") -> None:
    """The CPU, one thread, loopback. keep_flag: leave ACCELERATE_USE_CPU as the notebook has it. dtype: the default."""
    import torch

    os.environ.update(
        OMP_NUM_THREADS="1",
        CUDA_VISIBLE_DEVICES="",
        TORCH_CPP_LOG_LEVEL="ERROR",
        # Differing shapes in a collective raise on every rank instead of aborting in C++ on one.
        ACCELERATE_DEBUG_MODE="1",
    )
    if sys.platform == "linux":
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    if not keep_flag or torch.cuda.is_available():
        os.environ["ACCELERATE_USE_CPU"] = "yes"
    for name in (
        "RANK",
        "LOCAL_RANK",
        "WORLD_SIZE",
        "MASTER_ADDR",
        "MASTER_PORT",
        "ACCELERATE_MIXED_PRECISION",
    ):
        os.environ.pop(name, None)
    torch.set_num_threads(1)
    torch.set_default_dtype(getattr(torch, dtype))


def silence(folder: Path) -> None:
    """Everything written below Python's own streams goes to a file."""
    log = os.open(folder / "output.txt", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, null), (1, log), (2, log)):
        os.dup2(source, target)
    for spare in {log, null} - {0, 1, 2}:
        os.close(spare)


def run(
    submission: Submission,
    task: HiddenTask,
    plan: Plan,
    folder: Path,
    live: Live | None = None,
    key: bytes = b"",
    output: Path | None = None,
) -> None:
    """Do the run; leaves its evidence in `folder`. Call it in a forked process that ends afterwards.

    A reference run (plan.replay) is told so by its plan: it records the lesson's own cells, not the student's.
    key: seals the record. output: the folder for what is written below Python's streams, `folder` itself when None.
    """
    silence(output or folder)
    prepare_environment(plan.replay is None, plan.dtype)
    # Measured: prepare() imports datasets (1 s) in every rank only to compare types with it.
    if "datasets" not in sys.modules:
        import accelerate.data_loader

        accelerate.data_loader.is_datasets_available = lambda: False

    from looplift.evidence import spies, stage
    from looplift.evidence.checkpoint import Checkpoint
    from looplift.evidence.integrity import Integrity
    from looplift.evidence.launcher import Launcher
    from looplift.evidence.rank import in_rank
    from looplift.evidence.replay import move_schedulers
    from looplift.evidence.scratch import Scratch
    from looplift.evidence.spies.output import listen
    from looplift.hidden.constant import watch_copies

    reference = plan.replay is not None
    names = {cell.name for cell in submission.cells} if reference else None
    recorder = Recorder(folder, submission, names, key)
    listen(recorder)
    scratch = Scratch(recorder, plan.processes, None if output else folder) if task.tracked else None
    checkpoint = Checkpoint(recorder, None if output else folder) if task.saves else None
    patches = spies.install(recorder, plan, scratch)
    if task.constants:
        watch_copies(patches)
    if reference:
        move_schedulers(recorder.names, plan.scheduler_moves)
    launcher = Launcher(recorder, plan)
    if "IPython" in sys.modules:
        # In Colab notebook_launcher asks IPython where it is and then launches nothing (accelerate.launchers).
        sys.modules["IPython"].get_ipython = lambda: None  # type: ignore[attr-defined]
    ours = stage.factories(plan, task, recorder, scratch)
    if checkpoint is not None:
        ours[task.saves] = str(checkpoint.path)
    integrity = Integrity(patches.made)
    if plan.own_launch:
        launcher.make_own(lambda function: in_rank(function, recorder, integrity, plan))
    recorder.note("begun")
    if live is not None and not reference:
        function: Any = _enter_notebook(live, submission, ours, recorder, launcher, plan)
    else:
        function = stage.load(submission.cells, ours, recorder).get(plan.function)
    if not callable(function):
        recorder.note("no function", name=plan.function, found=type(function).__name__)
        return
    if plan.own_launch:
        launcher.make_last()
    else:
        recorder.phase = "launch"
        _launch(launcher, in_rank(function, recorder, integrity, plan), plan, recorder)
    if checkpoint is not None:
        checkpoint.look()
    recorder.note("launched", tampered=integrity.broken())


def _enter_notebook(
    live: Live,
    submission: Submission,
    ours: dict[str, Any],
    recorder: Recorder,
    launcher: Launcher,
    plan: Plan,
) -> Callable[..., Any]:
    """The function of a running notebook, with hidden data in place; the cell that launches it is run again when the
    run is about that launch."""
    from accelerate.state import AcceleratorState

    from looplift.evidence import stage
    from looplift.evidence.launcher import launching_cell

    if plan.mixed:
        stage.put_constants_in_place(live.namespace, plan)
    stage.put_in_place(live.namespace, ours)
    stage.put_in_place(vars(sys.modules["__main__"]), ours)
    if AcceleratorState._shared_state:
        recorder.note("state before launch")
    if plan.own_launch:
        cell = launching_cell(submission.written, launcher, live.namespace)
        launcher.replace_in(live.namespace)
        if cell is not None:
            stage.run_cell(cell, live.namespace, recorder)
    return live.function


def _launch(launcher: Launcher, wrapped: Callable[..., None], plan: Plan, recorder: Recorder) -> None:
    """Launch for real; that the launcher refuses is evidence, too."""
    from looplift.evidence import stage
    from looplift.evidence.launcher import first_failed

    try:
        for attempt in range(3):
            try:
                launcher.real(
                    wrapped, plan.arguments, num_processes=plan.processes, use_port=str(free_port())
                )
                break
            except Exception as error:
                if attempt == 2 or "EADDRINUSE" not in str(error):
                    raise
    except BaseException as error:  # noqa: BLE001 - the launcher's own refusal is evidence too
        recorder.note("launch error", first=first_failed(error), **stage.describe(error, recorder))
