"""What before.py and after.py train on: pictures of pets, named by their breed, and a network that has seen animals."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from torch.utils.data import DataLoader

from looplift.material.backbone import create_pet_model
from looplift.material.pets import label_maps, pet_files, pet_loaders
from looplift.material.real import MissingReal, real_pet_files, real_pet_model, real_pets


def get_dataloaders(batch_size: int, real: bool = False) -> tuple[DataLoader, DataLoader]:
    """Batches of {"image", "label"}, four pictures of five to train on; numpy's generator draws who is where.

    Five pictures are left out, so that 95 remain to measure with: two processes can't share them evenly.
    """
    return real_pets(None, batch_size) if real else pet_loaders(batch_size, files=pet_files()[5:])


def make_model(real: bool = False) -> Any:
    """A network with a fresh head, a number for each breed. `default_cfg` holds the mean and std of its pictures."""
    id_to_label, label_to_id = label_maps(real_pet_files() if real else pet_files())
    return real_pet_model(len(label_to_id)) if real else create_pet_model(num_classes=len(label_to_id))


def run(train: Callable[..., object], about: str) -> None:
    """Call `train` with what the command line says: `--real`, `--epochs`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", action="store_true", help="the Oxford-IIIT pets and a pretrained ResNet-18")
    parser.add_argument("--epochs", type=int, default=5)
    try:
        train(**vars(parser.parse_args()))
    except MissingReal as missing:
        sys.exit(str(missing))  # one sentence: what to fetch and where to put it
