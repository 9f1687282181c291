"""Run a lesson's pair, in a process that is there for nothing else, and say what came of it.

Two trainings of each script are compared: on the lesson's own task (one process, one epoch, as
a reader starts it), and on fixed rows: before.py on one process with batches of 2B, after.py on two with batches of B.
The fixed runs replace the task's two factories: same rows and model in float64, fixed order, no dropout.
Where before.py is a program for several processes, too (`both`), it is run on two as well, in a shuffled order.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import socket
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from accelerate import notebook_launcher

from looplift.build.proof import TOLERANCE
from looplift.build.trainings import (
    EPOCHS,
    SEED,
    FixedRows,
    against_by_hand,
    exact,
    factory_of,
    largest_difference,
    rows_of_both,
    run_own,
    train_fixed,
)

BATCH = 4
TRAIN_ROWS = 80  # 20 batches of 4, 10 of 8: a tenth of the steps is a whole number either way
EVAL_ROWS = 23  # divides by nothing
PROOF = "proof.json"


class Stopped(Exception):
    """The pair cannot be run to its end; `facts` says at which script, why and where."""

    def __init__(self, facts: dict[str, str]) -> None:
        super().__init__(facts["why"])
        self.facts = facts


@contextlib.contextmanager
def stage(folder: Path, what: str, out: Path | None = None) -> Iterator[None]:
    """Turn whatever a script raises into Stopped. out: where one of several processes leaves word of it."""
    try:
        yield
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [it for it in frames if Path(it.filename).resolve().parent == folder.resolve()]
        place = f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else what.split(" ")[0]
        if isinstance(error, SyntaxError) and error.filename:
            place = f"{Path(error.filename).name}, line {error.lineno}"
        said = str(error).strip().splitlines()
        facts = {
            "stage": what,
            "why": f"{type(error).__name__}: {said[0] if said else ''}".rstrip(": "),
            "where": place,
        }
        if out is not None:
            out.write_text(json.dumps(facts), encoding="utf-8")
        raise Stopped(facts) from error


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def proof(folder: Path, out: Path, both: bool = False) -> dict[str, Any]:
    """Everything that the pair is asked to show. both: before.py on two processes, too.

    Raises Stopped when it cannot be run.
    """
    sys.path.insert(0, str(folder))
    scripts: dict[str, ModuleType] = {}
    for name in ("before", "after"):
        with stage(folder, f"{name}.py cannot be imported"):
            scripts[name] = importlib.import_module(name)
            wanted = ("get_dataloaders", factory_of(scripts[name]), "train")
            missing = [it for it in wanted if not hasattr(scripts[name], it)]
            if missing:
                raise AttributeError(f"it has no {' and no '.join(missing)}")
    for seeded in (
        random.seed,
        np.random.seed,
        torch.manual_seed,
    ):  # a task may draw its rows with any of them
        seeded(SEED)
    with stage(folder, "task.py cannot give rows"):
        own_sets = [loader.dataset for loader in scripts["before"].get_dataloaders(BATCH)]
        rows = [
            [exact(data[i]) for i in range(count)]
            for data, count in zip(own_sets, (TRAIN_ROWS, EVAL_ROWS), strict=True)
        ]

    def sets() -> tuple[FixedRows, FixedRows]:
        return FixedRows(rows[0]), FixedRows(rows[1])

    def on_two_processes(name: str) -> list[dict[str, Any]]:
        def on_each_process() -> None:
            rank = os.environ["RANK"]
            with stage(folder, f"{name}.py fails on two processes", out / f"stopped-{rank}.json"):
                made = train_fixed(scripts[name], BATCH, sets(), shuffle=both)
                torch.save(made, out / f"{name}-{rank}.pt")

        try:
            notebook_launcher(on_each_process, (), num_processes=2, use_port=free_port())
        except Exception as error:
            stopped = sorted(out.glob("stopped-*.json"), key=lambda path: path.stat().st_mtime)
            if stopped:
                raise Stopped(json.loads(stopped[0].read_text(encoding="utf-8"))) from error
            raise
        return [torch.load(out / f"{name}-{rank}.pt") for rank in (0, 1)]

    # First: the launcher refuses to fork from a process that has made an Accelerator.
    ranks = on_two_processes("after")
    by_hand = on_two_processes("before") if both else None
    own = {}
    for name in ("before", "after"):
        with stage(folder, f"{name}.py fails on one process"):
            own[name] = run_own(folder / f"{name}.py")
    with stage(folder, "before.py fails on one process"):
        plain = train_fixed(scripts["before"], 2 * BATCH, sets())
        if largest_difference(plain["weights"], ranks[0]["weights"]) > TOLERANCE:
            # A schedule can be counted in batches of either size (see checks.reference): the other way may fit.
            other = train_fixed(scripts["before"], 2 * BATCH, sets(), moves=2)
            plain = min(plain, other, key=lambda it: largest_difference(it["weights"], ranks[0]["weights"]))
    facts = compared(own, plain, ranks)
    return facts | against_by_hand(by_hand, ranks) if by_hand else facts


def compared(
    own: dict[str, dict[str, Any]], plain: dict[str, Any], ranks: list[dict[str, Any]]
) -> dict[str, Any]:
    """Numbers and texts only, so that whoever reads them needs no torch."""
    first, second = ranks
    before, after = own["before"]["weights"], own["after"]["weights"]
    unequal = [
        f"{name}"
        for one, other in zip(before, after, strict=False)
        for name in sorted(one.keys() | other.keys())
        if name not in one or name not in other or not torch.equal(one[name], other[name])
    ]
    if len(before) != len(after):
        unequal.append(f"{len(before)} and {len(after)} models")
    return {
        "own_unequal": unequal,
        "own_said": [own["before"]["said"], own["after"]["said"]],
        "processes": [first["processes"], second["processes"]],
        "rows": TRAIN_ROWS,
        "epochs": EPOCHS,
        "rows_read": [len(first["rows"]), len(second["rows"])],
        "rows_of_both": rows_of_both(first["rows"], second["rows"]),
        "rows_seen": len(set(first["rows"]) | set(second["rows"])),
        "exact": {str(value.dtype) for value in plain["weights"].values()} == {"torch.float64"},
        "between_ranks": largest_difference(first["weights"], second["weights"]),
        "from_plain": largest_difference(plain["weights"], first["weights"]),
        "returned": [it["returned"] for it in (plain, first, second)],
    }


def main(folder: Path, out: Path, both: bool = False) -> None:
    """Leave `proof.json` in `out`. Changes this process's environment, modules and folder."""
    os.environ.update(
        OMP_NUM_THREADS="1",
        ACCELERATE_USE_CPU="yes",
        CUDA_VISIBLE_DEVICES="",
        HF_HUB_OFFLINE="1",
        TOKENIZERS_PARALLELISM="false",
    )
    torch.set_num_threads(1)  # the launcher forks: no threads before it
    sys.dont_write_bytecode = True
    folder = folder.resolve()
    os.chdir(out)  # what a pair writes, a log or prepared rows, is gone with it
    for name in ("task", "before", "after"):
        sys.modules.pop(name, None)
    try:
        facts = proof(folder, out, both)
    except Stopped as stopped:
        facts = {"stopped": stopped.facts}
    (out / PROOF).write_text(json.dumps(facts), encoding="utf-8")
