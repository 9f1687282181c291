"""What before.py and after.py train on: points on a ring, and two small networks that play against each other."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

HEAPS = 8  # heaps of points, evenly on a circle of radius 1
NOISE = 4


def get_dataloaders(batch_size: int) -> tuple[DataLoader, DataLoader]:
    """Batches of {"point", "noise"} to train with, and of noise to see what was learned.

    Each row brings its own noise, so that it does not matter which process gets it.
    """
    draw = torch.Generator().manual_seed(1)
    angles = 2 * math.pi / HEAPS * torch.randint(HEAPS, (960,), generator=draw)
    points = torch.stack([angles.cos(), angles.sin()], dim=1) + 0.05 * torch.randn((960, 2), generator=draw)
    noise = torch.randn((1200, NOISE), generator=draw)
    rows = [{"point": point, "noise": it} for point, it in zip(points, noise[:960], strict=True)]
    to_look_at = [{"noise": it} for it in noise[960:]]
    return DataLoader(rows, batch_size=batch_size, shuffle=True), DataLoader(to_look_at, batch_size=240)


def make_models() -> tuple[nn.Module, nn.Module]:
    """(generator, discriminator): noise to points; points to a number each, high for real ones."""
    generator = nn.Sequential(
        nn.Linear(NOISE, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2)
    )
    discriminator = nn.Sequential(
        nn.Linear(2, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1)
    )
    return generator, discriminator


def score_loss(scores: Tensor, real: bool) -> Tensor:
    """How far the discriminator's numbers are from saying `real` (or not), the mean over the rows."""
    return nn.functional.binary_cross_entropy_with_logits(scores, torch.full_like(scores, float(real)))


def on_the_ring(generator: nn.Module, loader: DataLoader) -> float:
    """The share of made points that lie near one of the heaps, 0 to 1."""
    inner = getattr(generator, "module", generator)
    near, seen = 0, 0
    for batch in loader:
        with torch.no_grad():
            made = inner(batch["noise"].to(next(inner.parameters()))).cpu()
        angle = torch.round(torch.atan2(made[:, 1], made[:, 0]) * HEAPS / (2 * math.pi)) * 2 * math.pi / HEAPS
        heap = torch.stack([angle.cos(), angle.sin()], dim=1)
        near += int(((made - heap).norm(dim=1) < 0.25).sum())
        seen += len(made)
    return near / seen


def run(train: Callable[..., object], about: str) -> None:
    """Call `train` with what the command line says: `--epochs`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=20)
    train(**vars(parser.parse_args()))
