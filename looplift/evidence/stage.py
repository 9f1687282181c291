"""The stage: the namespace in which a submission's cells run, with the kit's factories in place of the exercise's."""

from __future__ import annotations

import builtins
import hashlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy
import torch

from looplift.evidence.recorder import Recorder
from looplift.evidence.scratch import Scratch
from looplift.evidence.spies.gradients import watch_model
from looplift.evidence.spies.loaders import remember_rows
from looplift.evidence.spies.precision import PrecisionSpy
from looplift.evidence.spies.steps import follow
from looplift.hidden.constant import stay_at_home
from looplift.hidden.plan import Plan
from looplift.hidden.task import HiddenTask, Row, Rows, loaders
from looplift.submission import Cell


def factories(
    plan: Plan, task: HiddenTask, recorder: Recorder, scratch: Scratch | None = None
) -> dict[str, Any]:
    """`get_dataloaders` and `make_model` over hidden rows. Each call gives new objects that the recorder knows.

    Where a task has several networks, `make_models` gives them all. scratch: where a tracked task's loop keeps its
    files; then LOG_FOLDER lies in it, and `get_dataloaders` prepares the rows when it is called for the first time.
    """
    dtype = getattr(torch, plan.dtype)
    rows = {part: task.make_rows(plan.sizes, part, dtype) for part in ("train", "eval")}
    for part, it in rows.items():
        remember_rows(recorder, part, [row[task.key] for row in it])

    def get_dataloaders(batch_size: int = plan.sizes.batch_size, *_: Any, **__: Any) -> tuple[Any, Any]:
        if scratch is not None:
            scratch.ask()
        train, evaluation = Rows(rows["train"]), Rows(rows["eval"])
        recorder.datasets[id(train)] = "train_loader"
        recorder.datasets[id(evaluation)] = "eval_loader"
        recorder.keep(train, evaluation)
        recorder.note("loaders made", batch_size=batch_size, where=recorder.where(), random=random_state())
        return loaders(plan, train, evaluation, batch_size)

    def make_models(*_: Any, **__: Any) -> Any:
        models = task.make_models(plan.sizes, dtype)
        for model in models:
            scale = watch_model(recorder, model)
            follow(len(recorder.models) - 1, scale, only_held=bool(task.frozen))
            recorder.note("model made", where=recorder.where(), random=random_state())
            if recorder.precision is not None:
                recorder.precision.follow(model, "model", trained=True)
        return models if task.networks else models[0]

    recorder.networks = task.networks
    maker = "make_models" if task.networks else "make_model"
    ours: dict[str, Any] = {"get_dataloaders": get_dataloaders, maker: make_models}
    if scratch is not None:
        ours["LOG_FOLDER"] = str(scratch.log_folder)
    if plan.mixed:
        ours |= _mixed(plan, task, recorder, rows["train"])

    def drawn(tensor: torch.Tensor) -> bool:
        return id(tensor) in recorder.drawn

    return ours | {name: stay_at_home(drawn, numbers) for name, numbers in task.constants.items()}


def random_state() -> str:
    """What the next random number depends on, in a few characters: numpy's and torch's state together."""
    state = numpy.random.get_state()
    data = state[1].tobytes() + str(state[2]).encode() + torch.random.get_rng_state().numpy().tobytes()  # type: ignore[union-attr,index]
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _mixed(
    plan: Plan, task: HiddenTask, recorder: Recorder, rows: list[Row]
) -> dict[str, Callable[..., Any]]:
    """What an exercise about mixed precision needs beside: a spy on it, and a frozen network."""

    def exact(logits: torch.Tensor, ids: tuple[int, ...]) -> torch.Tensor:
        assert task.loss is not None
        return task.loss(logits, torch.stack([rows[index]["label"] for index in ids]))

    recorder.precision = PrecisionSpy(recorder, exact if task.loss else None)

    def make_backbone(*_: Any, **__: Any) -> torch.nn.Module:
        network = task.make_backbone(plan.sizes, getattr(torch, plan.dtype))
        recorder.precision.follow(network, "backbone", trained=False)
        return network

    return {"make_backbone": make_backbone} if task.backbone else {}


def put_constants_in_place(namespace: dict[str, Any], plan: Plan) -> None:
    """A notebook's own float32 constants in the precision of the run, as cells that are loaded here make them."""
    for name, it in list(namespace.items()):
        if type(it) is torch.Tensor and it.dtype == torch.float32 and not it.requires_grad:
            namespace[name] = it.to(getattr(torch, plan.dtype))


def put_in_place(namespace: dict[str, Any], ours: dict[str, Any]) -> None:
    """The kit's factories under the exercise's names, whatever a cell defined there."""
    namespace.update(ours)


def load(cells: tuple[Cell, ...], ours: dict[str, Any], recorder: Recorder) -> dict[str, Any]:
    """Run the cells as a notebook would; return their namespace.

    A cell that raises is noted and the next one is run, as a student may have left a failed experiment behind.
    """
    import looplift

    vars(looplift).update(dict.fromkeys(looplift.__all__[1:], lambda *_, **__: None))  # what a notebook calls
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    namespace = module.__dict__
    put_in_place(namespace, ours)
    for cell in cells:
        run_cell(cell, namespace, recorder)
        put_in_place(namespace, ours)
    return namespace


def run_cell(cell: Cell, namespace: dict[str, Any], recorder: Recorder) -> None:
    """Run one cell; what it raises is noted."""
    cell.remember()
    try:
        code = compile("\n" * cell.first_line + cell.source, cell.name, "exec", dont_inherit=True)
        exec(code, namespace)
    except SyntaxError as error:
        line = error.lineno or 1
        recorder.note("load error", error="SyntaxError", text=str(error.msg), where=[cell.name, line])
    except BaseException as error:  # noqa: BLE001 - whatever a student's cell raises is evidence, `exit()` too
        recorder.note("load error", **describe(error, recorder))


def describe(error: BaseException, recorder: Recorder) -> dict[str, Any]:
    """An exception as evidence: its type, its text, and the student's line where it was raised."""
    where = None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename in recorder.names:
            where = [frame.tb_frame.f_code.co_filename, frame.tb_lineno]
        frame = frame.tb_next
    return {"error": type(error).__name__[:100], "text": _said(error), "where": where}


def _said(error: BaseException) -> str:
    """The text of an exception; one that cannot even say that is no reason to lose it."""
    try:
        return str(error)[:600]
    except Exception as another:  # noqa: BLE001 - a student's own class may do anything
        return f"<{type(another).__name__} in its text>"
