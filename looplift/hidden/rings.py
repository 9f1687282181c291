"""Hidden pictures of rings, noise to make others from, and two very small networks in float64."""

from __future__ import annotations

import torch
from torch import nn

from looplift.hidden.task import HiddenTask, Row

SIDE, NOISE = 6, 3  # pixels; numbers of noise


def _rows(draw: torch.Generator, count: int, for_eval: bool) -> list[Row]:
    """Pictures and noise, all different. Rows to evaluate with are noise only, as in the exercise."""
    rows: list[Row] = []
    for _ in range(count):
        picture = torch.rand((1, SIDE, SIDE), generator=draw, dtype=torch.float64)
        noise = torch.randn(NOISE, generator=draw, dtype=torch.float64)
        rows.append({"noise": noise} if for_eval else {"image": picture, "noise": noise})
    return rows


def _models() -> tuple[nn.Module, nn.Module]:
    generator = nn.Sequential(nn.Linear(NOISE, 8), nn.Tanh(), nn.Linear(8, SIDE * SIDE), nn.Sigmoid())
    generator.append(nn.Unflatten(1, (1, SIDE, SIDE)))
    discriminator = nn.Sequential(nn.Flatten(), nn.Linear(SIDE * SIDE, 8), nn.Tanh(), nn.Linear(8, 1))
    return generator, discriminator


def rings() -> HiddenTask:
    """A generator that makes pictures from noise, and a discriminator that tells them from real ones."""
    return HiddenTask(rows=_rows, model=_models, key="noise", networks=("generator", "discriminator"))
