"""Pets of two species, and the pretrained network that sees them, frozen and by itself."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from looplift.material.backbone import FEATURES, create_pet_model, normalising

# Of the course's twelve breeds in alphabetical order: 1 for a dog, 0 for a cat.
IS_DOG = (0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0)


class FrozenPetNet(nn.Module):
    """Images [n, 3, height, width] in 0..1 to features [n, 256]; nothing in it is trained."""

    mean: Tensor
    std: Tensor

    def __init__(self) -> None:
        super().__init__()
        mean, std = normalising()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.backbone = create_pet_model(num_classes=1).backbone
        self.requires_grad_(False).eval()

    def forward(self, images: Tensor) -> Tensor:
        features: Tensor = self.backbone((images - self.mean) / self.std)
        return features


def pet_head() -> nn.Module:
    """Features to logits of twelve breeds, untrained, drawn from torch's generator."""
    return nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, len(IS_DOG)))


def species_table() -> Tensor:
    """[12, 2]: a row for each breed, with a 1 in the column of its species."""
    return torch.eye(2)[torch.tensor(IS_DOG)]
