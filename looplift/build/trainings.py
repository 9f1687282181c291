"""The scripts of a pair, trained: on fixed rows in the place of their own, and as a reader starts them."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

EPOCHS = 2
SEED = 7


class FixedRows(Dataset):
    """Rows drawn once from a lesson's own data, floats in float64; `seen` notes which were asked for."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.seen: list[int] = []

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        self.seen.append(index)
        return self.rows[index]


def exact(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.double() if isinstance(value, Tensor) and value.is_floating_point() else value
        for name, value in row.items()
    }


def fixed_model(model: nn.Module) -> nn.Module:
    """The model in float64 and without dropout, whose masks two processes draw differently from one."""
    for part in model.modules():
        if isinstance(part, nn.Dropout):
            part.p = 0.0
    return model.double()


class Counted(DataLoader):
    """A loader that says another length than it has."""

    said = 0

    def __len__(self) -> int:
        return self.said


def train_fixed(
    script: ModuleType, batch_size: int, sets: tuple[FixedRows, ...], moves: int = 1, shuffle: bool = False
) -> dict[str, Any]:
    """Call the script's `train` on fixed rows. Gives weights, the training rows read, what came back.

    moves: let a schedule be counted in batches that are so many times smaller, and move as many steps at a time, as a
    prepared one does on as many processes. shuffle: give a loader that shuffles, for scripts that draw the same order
    from the seed on any number of processes.
    """
    models: list[nn.Module] = []
    factory = factory_of(script)
    make_own = getattr(script, factory)

    def get_dataloaders(batch_size: int, real: bool = False) -> tuple[DataLoader, DataLoader]:
        train_rows, eval_rows = sets
        train_loader = Counted(train_rows, batch_size=batch_size, shuffle=shuffle)
        train_loader.said = -(-moves * len(train_rows) // batch_size)
        return train_loader, DataLoader(eval_rows, batch_size=2 * batch_size)

    def make(real: bool = False) -> Any:
        made = make_own()
        models.extend(fixed_model(it) for it in (made if isinstance(made, tuple) else (made,)))
        return made

    script.get_dataloaders = get_dataloaders  # type: ignore[attr-defined]
    setattr(script, factory, make)
    with stepping(script, moves):
        returned = script.train(batch_size=batch_size, epochs=EPOCHS, seed=SEED)
    return {
        "weights": weights_of(models),
        "rows": list(sets[0].seen),
        "returned": returned if isinstance(returned, float) else None,
        "processes": int(os.environ.get("WORLD_SIZE", "1")),
    }


@contextlib.contextmanager
def stepping(script: ModuleType, moves: int) -> Iterator[None]:
    """Let each `scheduler.step()` of a script move so many steps."""
    from torch.optim.lr_scheduler import LRScheduler

    from looplift.evidence.replay import move_schedulers

    original = LRScheduler.step
    if moves > 1:
        move_schedulers(frozenset({str(script.__file__)}), moves)
    try:
        yield
    finally:
        LRScheduler.step = original  # type: ignore[method-assign]


def factory_of(script: ModuleType) -> str:
    """The task's function that makes what is trained: one model, or several networks."""
    return "make_models" if hasattr(script, "make_models") else "make_model"


def weights_of(models: list[nn.Module]) -> dict[str, Tensor]:
    """The weights of all models, each under a name of its own."""
    if len(models) == 1:
        return dict(models[0].state_dict())
    return {
        f"{index}.{name}": value
        for index, model in enumerate(models)
        for name, value in model.state_dict().items()
    }


def largest_difference(one: dict[str, Tensor], other: dict[str, Tensor]) -> float:
    """Between weights of the same names; infinite when the names are not the same."""
    if one.keys() != other.keys():
        return float("inf")
    return max(float((one[name] - other[name]).abs().max()) for name in one)


def rows_of_both(one: list[int], other: list[int]) -> int:
    """How many rows both processes read in the same epoch, at most."""
    epochs = [[set(_epoch(rows, number)) for number in range(EPOCHS)] for rows in (one, other)]
    return max(len(a & b) for a, b in zip(*epochs, strict=True))


def _epoch(rows: list[int], number: int) -> list[int]:
    """The rows that were read in one epoch; each epoch reads as many."""
    count = len(rows) // EPOCHS
    return rows[number * count : (number + 1) * count]


def against_by_hand(by_hand: list[dict[str, Any]], ranks: list[dict[str, Any]]) -> dict[str, Any]:
    """after.py on two processes beside before.py on two."""
    one, other = by_hand
    pairs = zip(by_hand, ranks, strict=True)
    return {
        "before_processes": [it["processes"] for it in by_hand],
        "before_rows_of_both": rows_of_both(one["rows"], other["rows"]),
        "from_before": max(largest_difference(it["weights"], rank["weights"]) for it, rank in pairs),
        "before_returned": [it["returned"] for it in by_hand],
    }


def run_own(path: Path) -> dict[str, Any]:
    """One epoch of a script as a reader starts it, on the lesson's own task. Gives weights and what it said."""
    task = importlib.import_module("task")
    factory = factory_of(task)
    make_own: Callable[..., Any] = getattr(task, factory)
    models: list[nn.Module] = []

    def make(*arguments: Any, **named: Any) -> Any:
        made = make_own(*arguments, **named)
        models.extend(made if isinstance(made, tuple) else (made,))
        return made

    said = io.StringIO()
    setattr(task, factory, make)
    sys.argv = [str(path), "--epochs", "1"]
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(str(path), run_name="__main__")
    finally:
        setattr(task, factory, make_own)
    return {"weights": [dict(it.state_dict()) for it in models], "said": said.getvalue()}
