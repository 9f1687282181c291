"""Train the small network of `looplift.material.backbone` on invented breeds and keep its backbone.

    python data/train_backbone.py            writes data/backbone.safetensors
    python data/train_backbone.py FILE       writes there instead

The breeds are made up by rolling the same dice that `draw_pets.py` describes the course's 12 breeds with; none of
them is one of the 12, and their pictures are drawn on the fly and not kept. One thread and a fixed seed: the same
machine trains the same weights again, another one weights that differ in the last digits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import torch
from draw_pets import BREEDS, Breed, pictures
from safetensors.torch import save_file
from torch import Tensor
from torchvision.transforms.functional import to_tensor

from looplift.material.backbone import PetNet, normalising

SEED = 2718
INVENTED = 24
EACH = 40
EPOCHS = 10
BATCH = 32
RATE = 5e-3

_MARKINGS = ("plain", "saddle", "spots", "stripes", "speckles", "points", "belly", "mask")
_COATS = (
    (240, 236, 228),
    (60, 56, 58),
    (150, 104, 62),
    (210, 150, 90),
    (130, 136, 146),
    (196, 70, 50),
    (230, 206, 150),
)


def invent(number: int) -> Breed:
    """Breed `invented_<number>`, always the same one."""
    rng = Random(f"looplift invented breed {number}")
    coat, second = rng.sample(_COATS, 2)
    return Breed(
        f"invented_{number:02d}",
        coat,
        second,
        _MARKINGS[number % len(_MARKINGS)],
        rng.choice(("pointed", "floppy", "long", "round")),
        rng.choice(("thin", "bushy", "curled", "short")),
        legs=rng.randint(18, 58),
        girth=rng.randint(38, 68),
        length=rng.randint(74, 130),
        snout=rng.randint(4, 34),
        fluff=rng.choice((0, 0, 0, 8)),
    )


def invented_pets(each: int = EACH) -> tuple[Tensor, Tensor]:
    """(images [n, 3, 64, 64] in 0..1, labels [n]) of all invented breeds, `each` pictures of every one."""
    breeds = tuple(invent(number) for number in range(INVENTED))
    assert not {it.name for it in breeds} & {it.name for it in BREEDS}
    names = [it.name for it in breeds]
    drawn = [(to_tensor(picture), name.rsplit("_", 1)[0]) for name, picture in pictures(breeds, each)]
    images = torch.stack([image for image, _ in drawn])
    return images, torch.tensor([names.index(name) for _, name in drawn])


def train(images: Tensor, labels: Tensor, epochs: int = EPOCHS) -> PetNet:
    """A PetNet trained from nothing on these pictures, flipped and shifted by chance, every other one normalised."""
    torch.manual_seed(SEED)
    model = PetNet(INVENTED)
    mean, std = normalising()
    steps = epochs * (len(images) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=RATE, total_steps=steps, pct_start=0.2)
    for epoch in range(epochs):
        order, right = torch.randperm(len(images)), 0
        for rows in order.split(BATCH)[: len(images) // BATCH]:
            plain = torch.rand(len(rows), 1, 1, 1) < 0.5  # the lessons feed it pictures both ways
            batch = torch.where(plain, images[rows], (images[rows] - mean) / std)
            if torch.rand(()) < 0.5:
                batch = batch.flip(-1)
            shift = torch.randint(-6, 7, (2,)).tolist()
            logits = model(batch.roll(shift, dims=(2, 3)))
            loss = torch.nn.functional.cross_entropy(logits, labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            right += int((logits.argmax(-1) == labels[rows]).sum())
        print(f"epoch {epoch}: {100 * right / len(images):.1f} % of the invented breeds told apart")
    return model


def write_backbone(file: Path) -> None:
    """Draw, train, and save the backbone without its head."""
    torch.set_num_threads(1)
    model = train(*invented_pets())
    save_file({name: part.contiguous() for name, part in model.backbone.state_dict().items()}, file)


if __name__ == "__main__":
    target = (
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "backbone.safetensors"
    )
    write_backbone(target)
    print(f"wrote {target}, {target.stat().st_size} bytes")
