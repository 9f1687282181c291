"""The pets of Accelerate's notebook tutorial: files named `breed_12.jpg`, a data set, two loaders.

`extract_label`, `PetsDataset` and the split are the tutorial's; the pictures are drawn by `data/draw_pets.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import PIL.Image
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import Compose, RandomResizedCrop, Resize, ToTensor

from looplift.lesson import LessonError, data_folder


def pet_files() -> list[str]:
    """Paths of the course's pet pictures, sorted by name.

    Raises LessonError when the installation has none.
    """
    folder = data_folder() / "pets"
    files = sorted(str(path) for path in folder.glob("*.jpg"))
    if not files:
        raise LessonError(
            f"No pictures in {folder}: run `python data/draw_pets.py` in a clone, or install again."
        )
    return files


def extract_label(fname: str) -> str:
    """The breed in a file name: `great_pyrenees` for `pets/great_pyrenees_12.jpg`.

    Raises ValueError for a name of another form.
    """
    stem = fname.split(os.path.sep)[-1]
    found = re.search(r"^(.*)_\d+\.jpg$", stem)
    if found is None:
        raise ValueError(f"{stem!r} is not named like breed_12.jpg, so its breed cannot be read.")
    return found.groups()[0]


def label_maps(fnames: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """(id_to_label, label_to_id) of the breeds in these files, numbered in alphabetical order."""
    id_to_label = sorted({extract_label(fname) for fname in fnames})
    return id_to_label, {label: i for i, label in enumerate(id_to_label)}


class PetsDataset(Dataset):
    """Pictures with their breeds: rows `{"image": ..., "label": ...}`.

    image: RGB picture, through `image_transform` if there is one. label: the breed's name, or its number if
    `label_to_id` is given.
    """

    def __init__(
        self,
        file_names: Sequence[str],
        image_transform: Callable[[PIL.Image.Image], Any] | None = None,
        label_to_id: dict[str, int] | None = None,
    ) -> None:
        self.file_names = file_names
        self.image_transform = image_transform
        self.label_to_id = label_to_id

    def __len__(self) -> int:
        return len(self.file_names)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        fname = self.file_names[idx]
        with PIL.Image.open(fname) as raw_image:
            image: Any = raw_image.convert("RGB")
        if self.image_transform is not None:
            image = self.image_transform(image)
        label: str | int = extract_label(fname)
        if self.label_to_id is not None:
            label = self.label_to_id[str(label)]
        return {"image": image, "label": label}


def pet_loaders(
    batch_size: int,
    image_size: int = 64,
    files: Sequence[str] | None = None,
    generator: torch.Generator | None = None,
) -> tuple[DataLoader, DataLoader]:
    """(train_loader, eval_loader) over an 80/20 split of the pets, as in the tutorial.

    Batches are `{"image": float32 [n, 3, image_size, image_size] in 0..1, "label": int64 [n]}`; evaluation batches
    are twice as large. The split is drawn from numpy's global generator: seed before calling (`set_seed`), or two
    processes split differently. generator: fixes the order of the training rows; torch's global one if None.
    """
    files = pet_files() if files is None else files
    _, label_to_id = label_maps(files)
    random_perm = np.random.permutation(len(files))
    cut = int(0.8 * len(files))
    square = (image_size, image_size)
    train_set = PetsDataset(
        [files[i] for i in random_perm[:cut]],
        image_transform=Compose([RandomResizedCrop(square, scale=(0.5, 1.0)), ToTensor()]),
        label_to_id=label_to_id,
    )
    eval_set = PetsDataset(
        [files[i] for i in random_perm[cut:]],
        image_transform=Compose([Resize(square), ToTensor()]),
        label_to_id=label_to_id,
    )
    train_loader = DataLoader(
        train_set, shuffle=True, batch_size=batch_size, num_workers=0, generator=generator
    )
    eval_loader = DataLoader(eval_set, shuffle=False, batch_size=batch_size * 2, num_workers=0)
    return train_loader, eval_loader
