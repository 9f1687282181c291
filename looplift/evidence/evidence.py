"""Evidence on one submission: its runs, made when a check asks for them, and the plain loop to compare with."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from looplift.evidence import runner
from looplift.evidence.run import Run
from looplift.evidence.share import Share
from looplift.evidence.watch import Limits, Outcome, fork_and_watch, watch
from looplift.fault import KitError
from looplift.hidden.plan import Plan, Sizes
from looplift.hidden.task import HiddenTask, Row
from looplift.lesson import Lesson
from looplift.submission import Cell, Submission
from looplift.submission.notebook import GIVEN


class Evidence:
    """The door that graded tests come through: `evidence.on(processes=2)`.

    Runs are made once and kept. progress: told in a few words what is being run.
    """

    def __init__(
        self,
        lesson: Lesson,
        submission: Submission,
        task: HiddenTask,
        sizes: Sizes,
        folder: Path,
        live: runner.Live | None = None,
        limits: Limits | None = None,
        progress: Callable[[str], None] | None = None,
        sandbox: bool = False,
    ) -> None:
        self.lesson = lesson
        self.submission = submission
        self.task = task
        self.sizes = sizes
        self._folder = folder
        self._live = live
        self._limits = limits or Limits()
        self._progress = progress or (lambda _: None)
        self._sandbox = sandbox
        self._runs: dict[tuple[int, str, bool], Run] = {}
        self._own: Run | None = None
        self._references: dict[Any, Run] = {}
        self._others: dict[int, Evidence] = {}

    def on(self, processes: int, dtype: str = "float64", scaler: bool = False) -> Run:
        """The student's loop, really run by `notebook_launcher` on so many processes.

        dtype: that of the hidden data and models. scaler: under a gradient scaler, as on a GPU with fp16.
        """
        key = (processes, dtype, scaler)
        if key not in self._runs:
            plan = replace(self._plan(processes), dtype=dtype, scaler=scaler)
            what = f"training_loop on {processes} process{'es' if processes > 1 else ''}"
            what += f" in {dtype}" if dtype != "float64" else " under a scaler" if scaler else ""
            self._progress(what)
            share = Share(what, plan, self._progress)
            self._runs[key] = self._make(plan, self.submission, self._live, share)
        return self._runs[key]

    def launch(self, processes: int = 2) -> Run:
        """The loop as the submission's own line launches it. processes: how many the exercise asks for."""
        if self._own is None:
            what = "your launch"
            plan = replace(self._plan(processes), own_launch=True)
            self._progress(what)
            self._own = self._make(plan, self.submission, self._live, Share(what, plan, self._progress))
        return self._own

    def reference(
        self, batches: list[list[list[int]]], scheduler_moves: int, length: int | None = None
    ) -> Run:
        """The exercise's plain loop on one process, over the same rows in the same order.

        batches: row ids, epoch by epoch and batch by batch. scheduler_moves: how far its scheduler moves a step.
        length: what `len(train_loader)` says; the number of the exercise's own batches when None.
        Raises KitError when the plain loop itself does not end well.
        """
        plan = self._plan(1).as_reference(batches, scheduler_moves, length)
        key = (plan.replay, scheduler_moves, length)
        if key not in self._references:
            self._progress("the plain loop to compare with")
            run = self._make(plan, self._plain(), None)
            if not run.finished:
                raise KitError(
                    f"the plain loop of {self.lesson.name} did not finish on hidden data: {run.folder}"
                )
            self._references[key] = run
        return self._references[key]

    def again(self, number: int) -> Evidence:
        """The same submission on other hidden rows, for a check that the first ones (number 0) leave in doubt."""
        if number == 0:
            return self
        if number not in self._others:
            sizes = replace(self.sizes, seed=(self.sizes.seed + 15_485_863 * number) % 2**31)
            self._others[number] = Evidence(
                self.lesson,
                self.submission,
                self.task,
                sizes,
                self._folder,
                self._live,
                self._limits,
                self._progress,
                self._sandbox,
            )
        return self._others[number]

    @property
    def runs(self) -> list[Run]:
        """The student's runs made so far."""
        own = [self._own] if self._own else []
        return [*own, *self._runs.values(), *(run for it in self._others.values() for run in it.runs)]

    def eval_rows(self) -> list[Row]:
        """The hidden evaluation rows, in the order of their ids."""
        return self.task.make_rows(self.sizes, "eval")

    def _plan(self, processes: int) -> Plan:
        task = self.task
        return Plan(
            "training_loop",
            processes,
            self.sizes,
            accumulation=task.accumulation,
            networks=task.networks,
            parameters=task.parameters,
            mixed=task.mixed,
        )

    def _plain(self) -> Submission:
        cells = (Cell(self.lesson.cell_source(it), f"plain#{it}", "given") for it in GIVEN)
        return Submission("plain loop", tuple(cells))

    def _make(
        self, plan: Plan, submission: Submission, live: runner.Live | None, share: Share | None = None
    ) -> Run:
        folder = Path(tempfile.mkdtemp(prefix=f"{plan.function}-{plan.processes}-", dir=self._folder))
        key = os.urandom(32)
        if self._sandbox:
            outcome = self._enclosed(plan, submission, folder, key, share)
        else:
            work = lambda: runner.run(submission, self.task, plan, folder, live, key)  # noqa: E731
            outcome = fork_and_watch(work, folder, self._limits, key, share)
        run = Run(plan, submission, folder, outcome)
        fault = folder / "fault.txt"
        if fault.exists():
            said = fault.read_text(errors="replace")
            if not self._sandbox or run.first("begun") is None:
                raise KitError(f"a run could not be made: {said}")
            # Once a stranger's code has begun, it may have brought this about, or written the file itself.
            smells = (*outcome.smells, "the recorder broke while it ran")
            run = Run(plan, submission, folder, replace(outcome, smells=smells))
        return run

    def _enclosed(
        self, plan: Plan, submission: Submission, folder: Path, key: bytes, share: Share | None
    ) -> Outcome:
        """The run in a room of its own; what it leaves there is copied to `folder`."""
        from looplift.sandbox.room import EVIDENCE, OUTPUT, Room

        room = Room(lambda: runner.run(submission, self.task, plan, EVIDENCE, None, key, OUTPUT))
        try:
            outcome = watch(room, self._limits, key, share)
            if room.collect(folder):
                return outcome
            return replace(
                outcome, smells=(*outcome.smells, "something else was left beside the record of its run")
            )
        finally:
            room.close()
