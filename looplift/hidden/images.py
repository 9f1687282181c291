"""Hidden images and the lessons' small CNN in float64."""

from __future__ import annotations

import torch

from looplift.hidden.task import HiddenTask, Row

CLASSES = 4
SIDE = 16  # pixels


def _rows(draw: torch.Generator, count: int, for_eval: bool) -> list[Row]:
    """Images of noise whose label is the brightest quarter."""
    rows: list[Row] = []
    half = SIDE // 2
    for _ in range(count):
        image = torch.rand((3, SIDE, SIDE), generator=draw, dtype=torch.float64)
        label = int(torch.randint(0, CLASSES, (1,), generator=draw))
        top, left = (label // 2) * half, (label % 2) * half
        image[:, top : top + half, left : left + half] += 0.5
        rows.append({"image": image, "label": torch.tensor(label)})
    return rows


def _model() -> torch.nn.Module:
    from looplift.material.backbone import PetNet

    return PetNet(CLASSES)


def images(tracked: bool = False) -> HiddenTask:
    """Images for a classifier of four classes; tracked when the exercise keeps a log and prepares its rows once."""
    return HiddenTask(rows=_rows, model=_model, key="image", tracked=tracked)
