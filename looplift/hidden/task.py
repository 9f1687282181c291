"""A hidden task: rows and a model made from a seed, and the loaders over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, default_collate

from looplift.hidden.plan import PARAMETERS, Plan, Sizes

Row = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Metric:
    """What an evaluation reports. predict: a class for each row, whatever the other rows are. score: the number for
    predicted classes and labels, each row counted as often as it is in them. name: what sentences call it. printed: the
    loop prints it after each epoch, as a share or in percent, and returns nothing."""

    predict: Callable[[torch.nn.Module, list[Row]], torch.Tensor]
    score: Callable[[torch.Tensor, torch.Tensor], float]
    name: str = "F1"
    printed: bool = False


@dataclass(frozen=True)
class HiddenTask:
    """What a lesson's graded tests are run on.

    rows: makes n rows from a generator, each a dict of tensors; every row is different. model: makes the float64
    model, no dropout, no BatchNorm. key: the tensor of a row by which it is recognised. metric: what `plain_loop`
    returns for its evaluation rows, which have a tensor `labels`; None when the loop returns nothing. accumulation: how
    many batches the exercise's plain loop goes through before it takes a step. networks: names of the networks when
    there are several; then `model` makes a tuple of them, and the exercise's factory is called make_models.
    parameters: those of `training_loop`, in their order. constants: functions of the exercise that give a tensor of
    constants, by name, and its numbers. frozen: how the names of the parameters begin that the exercise's plain loop
    leaves as they are, "" when it trains all.
    tracked: whether the exercise keeps files: a log in LOG_FOLDER, and rows that its get_dataloaders prepares once.
    saves: the constant that names the file which the exercise's loop leaves its weights in, "" when it leaves none.
    For an exercise about mixed precision (mixed): backbone makes the frozen network that the exercise's make_backbone
    gives; loss is the plain loop's, of logits and a row's `label`s, to compute again without rounding.
    """

    rows: Callable[[torch.Generator, int, bool], list[Row]]
    model: Callable[[], Any]
    key: str
    epochs: int = 2
    metric: Metric | None = None
    accumulation: int = 1
    networks: tuple[str, ...] = ()
    parameters: tuple[str, ...] = PARAMETERS
    constants: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    frozen: str = ""
    tracked: bool = False
    saves: str = ""
    mixed: bool = False
    backbone: Callable[[], torch.nn.Module] | None = None
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None = None

    def make_rows(self, sizes: Sizes, part: str, dtype: torch.dtype = torch.float64) -> list[Row]:
        """The rows of `train` or `eval`, in the order of their ids."""
        draw = torch.Generator().manual_seed(sizes.seed + (0 if part == "train" else 1))
        count = sizes.train_rows if part == "train" else sizes.eval_rows
        rows = self.rows(draw, count, part == "eval")
        if dtype == torch.float64:
            return rows
        return [
            {name: it.to(dtype) if it.is_floating_point() else it for name, it in row.items()} for row in rows
        ]

    def make_models(self, sizes: Sizes, dtype: torch.dtype = torch.float64) -> tuple[torch.nn.Module, ...]:
        """The same weights each time, whatever the loop did with the seed; the loop's own random state is kept."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(sizes.seed)
            made = self.model()
        return tuple(it.to(dtype) for it in (made if self.networks else (made,)))

    def make_backbone(self, sizes: Sizes, dtype: torch.dtype = torch.float64) -> torch.nn.Module:
        """The frozen network, the same each time."""
        assert self.backbone is not None
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(sizes.seed + 3)
            return self.backbone().to(dtype).requires_grad_(False).eval()

    def make_model(self, sizes: Sizes) -> torch.nn.Module:
        """The model of a task that has one."""
        (model,) = self.make_models(sizes)
        return model


class Rows(Dataset[Row]):
    """Rows in memory."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Row:
        return dict(self.rows[index])


class ReplayLoader:
    """Stands in for a train loader in a reference run: gives the batches it was told to, epoch by epoch.

    `len` is what the exercise's own loader would say, so that a schedule counted from it is the same, unless the plan
    says otherwise.
    """

    def __init__(self, dataset: Rows, plan: Plan) -> None:
        assert plan.replay is not None
        self.dataset = dataset
        self.batch_size = plan.sizes.batch_size
        self._epochs = plan.replay
        self._length = plan.length
        self._next = 0

    def __len__(self) -> int:
        return self._length if self._length is not None else -(-len(self.dataset) // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        epoch = self._epochs[self._next] if self._next < len(self._epochs) else ()
        self._next += 1
        for ids in epoch:
            yield default_collate([self.dataset[index] for index in ids])


def loaders(plan: Plan, train: Rows, evaluation: Rows, batch_size: int) -> tuple[Any, Any]:
    """Train and evaluation loader, as the exercise's `get_dataloaders` gives them."""
    order = torch.Generator().manual_seed(plan.sizes.seed + 2)
    eval_loader: DataLoader[Row] = DataLoader(evaluation, batch_size=2 * batch_size)
    if plan.replay is not None:
        return ReplayLoader(train, plan), eval_loader
    return DataLoader(train, batch_size=batch_size, shuffle=True, generator=order), eval_loader
