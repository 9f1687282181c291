"""Small pictures of rings, noise to make others from, and two networks: one that makes pictures, one that judges them.

Nothing is read from disk: the rings are drawn, always the same ones.
"""

from __future__ import annotations

import base64
import html
import io
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms.functional import to_pil_image
from torchvision.utils import make_grid

SIDE = 12  # pixels
NOISE = 8  # numbers from which a picture is made
COUNT = 512  # rings to train with
SEED = 1


def draw_ring(center: Tensor, radius: Tensor) -> Tensor:
    """A ring as [1, SIDE, SIDE] in 0..1. center: row and column in pixels, radius in pixels."""
    rows, columns = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    distance = torch.sqrt((rows - center[0]) ** 2 + (columns - center[1]) ** 2)
    return (1 - (distance - radius).abs() / 1.2).clamp(0, 1)[None]


class Rings(Dataset[dict[str, Tensor]]):
    """Rows `{"image": float32 [1, SIDE, SIDE], "noise": float32 [NOISE]}`; without pictures only the noise.

    Each row brings its own noise. Then any number of processes trains with the same numbers, whoever gets the row.
    """

    def __init__(self, images: Tensor | None, noise: Tensor) -> None:
        self.images = images
        self.noise = noise

    def __len__(self) -> int:
        return len(self.noise)

    def __getitem__(self, index: int) -> dict[str, Tensor]:
        row = {} if self.images is None else {"image": self.images[index]}
        return {**row, "noise": self.noise[index]}


@lru_cache(maxsize=1)
def rings() -> tuple[Rings, Rings]:
    """(rings to train with, noise to make pictures from), the same each time."""
    draw = torch.Generator().manual_seed(SEED)
    centers = (SIDE - 1) / 2 - 1 + 2 * torch.rand((COUNT, 2), generator=draw)
    radii = 2.5 + 2 * torch.rand(COUNT, generator=draw)
    images = torch.stack([draw_ring(*it) for it in zip(centers, radii, strict=True)])
    noise = torch.randn((COUNT + 24, NOISE), generator=draw)
    return Rings(images, noise[:COUNT]), Rings(None, noise[COUNT:])


def ring_loaders(batch_size: int) -> tuple[DataLoader, DataLoader]:
    """(train_loader, noise_loader): batches of `{"image", "noise"}` to train with, of `{"noise"}` to look at."""
    train, noise = rings()
    return DataLoader(train, batch_size=batch_size, shuffle=True), DataLoader(noise, batch_size=len(noise))


def make_networks() -> tuple[nn.Module, nn.Module]:
    """(generator, discriminator): [n, NOISE] to pictures [n, 1, SIDE, SIDE]; pictures to a number each, [n, 1].

    A high number of the discriminator says: this one is real.
    """
    generator = nn.Sequential(
        nn.Linear(NOISE, 64),
        nn.LeakyReLU(0.2),
        nn.Linear(64, 128),
        nn.LeakyReLU(0.2),
        nn.Linear(128, SIDE * SIDE),
        nn.Sigmoid(),
        nn.Unflatten(1, (1, SIDE, SIDE)),
    )
    discriminator = nn.Sequential(
        nn.Flatten(),
        nn.Linear(SIDE * SIDE, 128),
        nn.LeakyReLU(0.2),
        nn.Linear(128, 64),
        nn.LeakyReLU(0.2),
        nn.Linear(64, 1),
    )
    return generator, discriminator


def made_by(generator: nn.Module) -> Tensor:
    """24 pictures of a generator, prepared or not, always from the same noise."""
    inner = getattr(generator, "module", generator)  # alone: a wrapped one may wait for other processes
    noise = rings()[1].noise.to(next(inner.parameters()))
    with torch.no_grad():
        return inner(noise).float().cpu()


class Pictures:
    """Pictures as a notebook shows them, with words for those who do not see them."""

    def __init__(self, pictures: Tensor, words: str) -> None:
        self.pictures = pictures
        self.words = words

    def _repr_html_(self) -> str:
        grid = to_pil_image(make_grid(self.pictures.clamp(0, 1), nrow=12, pad_value=0.5))
        file = io.BytesIO()
        grid.resize((4 * grid.width, 4 * grid.height), resample=0).save(file, format="PNG")
        data = base64.b64encode(file.getvalue()).decode("ascii")
        words = html.escape(self.words)
        return (
            f'<figure><img alt="{words}" src="data:image/png;base64,{data}" style="max-width: 100%">'
            f"<figcaption>{words}</figcaption></figure>"
        )

    def __repr__(self) -> str:
        lit = float((self.pictures > 0.5).float().mean())
        return f"{self.words}: {len(self.pictures)} pictures, {lit:.0%} of the pixels are bright"


def show_pictures(pictures: Tensor, words: str) -> Pictures:
    """[n, 1, SIDE, SIDE] in 0..1 as a picture below the cell. words: what is to be seen, for everybody."""
    return Pictures(pictures, words)
