"""A small image network, and weights that already know what drawn animals look like.

The weights in `data/backbone.safetensors` come from `data/train_backbone.py`, which trained the network on breeds
that no lesson uses. "Freeze the backbone, train the head" is therefore transfer learning, without a download.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from looplift.lesson import LessonError, data_folder

# Per channel, over the course's 480 pets, in 0..1. tests/kit/test_material_pets.py measures them again.
MEAN = (0.623, 0.631, 0.582)
STD = (0.179, 0.174, 0.188)
WIDTHS = (24, 64, 128)
FEATURES = 2 * WIDTHS[-1]


def _block(wide_in: int, wide_out: int, kernel: int) -> nn.Sequential:
    """Halves the picture. GroupNorm: BatchNorm would see other batches on two processes than on one."""
    return nn.Sequential(
        nn.Conv2d(wide_in, wide_out, kernel, stride=2, padding=kernel // 2, bias=False),
        nn.GroupNorm(num_groups=8, num_channels=wide_out),
        nn.ReLU(),
    )


class MeanAndPeak(nn.Module):
    """The mean and the largest value of each channel, side by side: [n, c, h, w] to [n, 2c].

    The peaks find an animal that fills a tenth of the picture, whatever the wall behind it is like.
    """

    def forward(self, maps: Tensor) -> Tensor:
        return torch.cat([maps.mean(dim=(2, 3)), maps.amax(dim=(2, 3))], dim=1)


class PetNet(nn.Module):
    """Three convolutions (`backbone`, 256 features) and a linear head (`fc`); about 93 000 numbers for 12 breeds.

    Takes images [n, 3, height, width], normalised by the numbers in `default_cfg` as the tutorial does; gives logits
    [n, num_classes].
    """

    def __init__(self, num_classes: int) -> None:
        super().__init__()
        blocks = [_block(3, WIDTHS[0], 5), _block(WIDTHS[0], WIDTHS[1], 3), _block(WIDTHS[1], WIDTHS[2], 3)]
        self.backbone = nn.Sequential(*blocks, MeanAndPeak())
        self.fc = nn.Linear(FEATURES, num_classes)
        self.default_cfg = {"mean": MEAN, "std": STD}

    def get_classifier(self) -> nn.Linear:
        """The head, by the name timm's models have for it."""
        return self.fc

    def forward(self, images: Tensor) -> Tensor:
        logits: Tensor = self.fc(self.backbone(images))
        return logits


def backbone_file() -> Path:
    return data_folder() / "backbone.safetensors"


def load_backbone(model: PetNet) -> PetNet:
    """Put the pretrained weights into `model.backbone`; the head stays as it is. Gives the model back.

    Raises LessonError when the file is missing.
    """
    if not backbone_file().is_file():
        raise LessonError(
            f"No weights in {backbone_file()}: run `python data/train_backbone.py` in a clone, or install again."
        )
    model.backbone.load_state_dict(load_file(backbone_file()))
    return model


def create_pet_model(num_classes: int, pretrained: bool = True) -> PetNet:
    """A PetNet with pretrained backbone (unless told otherwise) and a fresh head, drawn from torch's generator."""
    model = PetNet(num_classes)
    return load_backbone(model) if pretrained else model


def freeze_backbone(model: PetNet) -> PetNet:
    """Leave only the head trainable, as the tutorial does. Gives the model back."""
    for param in model.parameters():
        param.requires_grad = False
    for param in model.get_classifier().parameters():
        param.requires_grad = True
    return model


def normalising(device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
    """(mean, std), each [1, 3, 1, 1], for `(images - mean) / std`."""
    mean, std = (torch.tensor(part, device=device)[None, :, None, None] for part in (MEAN, STD))
    return mean, std
