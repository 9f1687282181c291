"""The pets as one block of numbers: every picture read and shrunk once, so that nobody has to do it again."""

from __future__ import annotations

import numpy as np
import PIL.Image
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from looplift.material.pets import extract_label, label_maps, pet_files

SHARE = 0.8  # of the pictures, to train on
_ORDER = 11  # seed of the split: the same for every process, whatever it has drawn before


def decode_pets(image_size: int = 64) -> dict[str, Tensor]:
    """{"images": uint8 [n, 3, image_size, image_size], "labels": int64 [n]} of all pictures, in a mixed order."""
    files = pet_files()
    _, label_to_id = label_maps(files)
    images, labels = [], []
    for index in torch.randperm(len(files), generator=torch.Generator().manual_seed(_ORDER)).tolist():
        with PIL.Image.open(files[index]) as picture:
            small = picture.convert("RGB").resize((image_size, image_size))
        images.append(torch.from_numpy(np.array(small)).permute(2, 0, 1))
        labels.append(label_to_id[extract_label(files[index])])
    return {"images": torch.stack(images), "labels": torch.tensor(labels)}


class DecodedPets(Dataset):
    """Rows `{"image": float32 in 0..1, "label": int64}` of decoded pictures."""

    def __init__(self, images: Tensor, labels: Tensor) -> None:
        self.images, self.labels = images, labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, idx: int) -> dict[str, Tensor]:
        return {"image": self.images[idx] / 255, "label": self.labels[idx]}


def decoded_loaders(pets: dict[str, Tensor], batch_size: int) -> tuple[DataLoader, DataLoader]:
    """(train_loader, eval_loader) over what `decode_pets` gave; evaluation batches are twice as large."""
    cut = int(SHARE * len(pets["labels"]))
    train_rows = DecodedPets(pets["images"][:cut], pets["labels"][:cut])
    eval_rows = DecodedPets(pets["images"][cut:], pets["labels"][cut:])
    train_loader = DataLoader(train_rows, shuffle=True, batch_size=batch_size)
    return train_loader, DataLoader(eval_rows, batch_size=2 * batch_size)
