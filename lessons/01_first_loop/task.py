"""What before.py and after.py train on: pictures of pets, a small network, and how it is measured."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import torch
from torch import nn
from torch.utils.data import DataLoader

from looplift.material.backbone import create_pet_model
from looplift.material.pets import label_maps, pet_files, pet_loaders
from looplift.material.real import MissingReal, real_pet_files, real_pet_model, real_pets


def get_dataloaders(batch_size: int, real: bool = False) -> tuple[DataLoader, DataLoader]:
    """Batches of {"image", "label"} to train on and to measure with, four pictures of five to train on."""
    return real_pets(None, batch_size) if real else pet_loaders(batch_size)


def make_model(real: bool = False) -> nn.Module:
    """A network that gives a number to each breed; it has seen animals before, but none of these breeds."""
    id_to_label, label_to_id = label_maps(real_pet_files() if real else pet_files())
    return real_pet_model(len(id_to_label)) if real else create_pet_model(len(id_to_label))


def learning_rate(real: bool = False) -> float:
    """A large pretrained network bears only small steps."""
    return 1e-4 if real else 1e-3


def accuracy(model: nn.Module, loader: DataLoader) -> float:
    """The share of pictures that the model names rightly, 0 to 1."""
    device = next(model.parameters()).device
    right, seen = 0, 0
    model.eval()
    for batch in loader:
        with torch.no_grad():
            guesses = model(batch["image"].to(device)).argmax(dim=-1)
        right += int((guesses.cpu() == batch["label"]).sum())
        seen += len(guesses)
    return right / seen


def run(train: Callable[..., object], about: str) -> None:
    """Call `train` with what the command line says: `--real`, `--epochs`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", action="store_true", help="the Oxford-IIIT pets and a pretrained ResNet-18")
    parser.add_argument("--epochs", type=int, default=3)
    try:
        train(**vars(parser.parse_args()))
    except MissingReal as missing:
        sys.exit(str(missing))  # one sentence: what to fetch and where to put it
