"""Hidden pictures, a frozen backbone over them, and a small head of twelve breeds of two species."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import cross_entropy, nll_loss

from looplift.hidden.task import HiddenTask, Row

SIDE = 16  # pixels
IS_DOG = (0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0)  # of each breed, in the order of the exercise's


def _rows(draw: torch.Generator, count: int, for_eval: bool) -> list[Row]:
    """Images of noise; the breed decides how bright each colour is."""
    rows: list[Row] = []
    for _ in range(count):
        image = torch.rand((3, SIDE, SIDE), generator=draw, dtype=torch.float64)
        label = int(torch.randint(0, len(IS_DOG), (1,), generator=draw))
        tint = torch.tensor([label % 3, label // 3 % 2, label // 6], dtype=torch.float64)
        rows.append({"image": image + tint[:, None, None], "label": torch.tensor(label)})
    return rows


class Accepting(nn.Module):
    """A network that takes any floating point: in a run in float64 some constant of a loop may still be float32."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        dtype = next(self.inner.parameters()).dtype
        if dtype == torch.float64 and values.dtype != dtype:
            values = values.type(dtype)
        out: torch.Tensor = self.inner(values)
        return out


def _backbone() -> nn.Module:
    from looplift.material.backbone import PetNet

    return Accepting(PetNet(1).backbone)


def _head() -> nn.Module:
    from looplift.material.backbone import FEATURES

    return Accepting(nn.Sequential(nn.Linear(FEATURES, 16), nn.Tanh(), nn.Linear(16, len(IS_DOG))))


def exact_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The exercise's loss: of the breed, and of the species."""
    dogs = torch.tensor(IS_DOG)
    species = logits.softmax(dim=-1) @ torch.eye(2, dtype=logits.dtype)[dogs]
    return cross_entropy(logits, labels) + nll_loss(species.log(), dogs[labels])


def pets() -> HiddenTask:
    """A frozen backbone and a head that is trained, for an exercise about mixed precision."""
    return HiddenTask(rows=_rows, model=_head, key="image", mixed=True, backbone=_backbone, loss=exact_loss)
