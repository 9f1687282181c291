"""What before.py and after.py train on: sentence pairs, a small DistilBERT, and where its weights are kept."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from torch import nn
from torch.utils.data import DataLoader

from looplift.material.pairs import pair_loaders
from looplift.material.real import MissingReal, real_pairs, real_text_model
from looplift.material.text import text_model

CHECKPOINT = "weights.pt"  # the trained weights, under the names that make_model's own have


def get_dataloaders(batch_size: int, real: bool = False) -> tuple[DataLoader, DataLoader]:
    """Batches of {"input_ids", "attention_mask", "labels"} to train on and to measure with."""
    return real_pairs(None, batch_size) if real else pair_loaders(batch_size)


def make_model(real: bool = False) -> nn.Module:
    """A DistilBERT with two classes: the sentences mean the same (1), or they don't (0)."""
    return real_text_model() if real else text_model()


def learning_rate(real: bool = False) -> float:
    """A large pretrained model bears only small steps."""
    return 2e-5 if real else 1e-3


def run(train: Callable[..., object], about: str) -> None:
    """Call `train` with what the command line says: `--real`, `--epochs`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", action="store_true", help="GLUE MRPC and distilbert-base-cased")
    parser.add_argument("--epochs", type=int, default=3)
    try:
        train(**vars(parser.parse_args()))
    except MissingReal as missing:
        sys.exit(str(missing))  # one sentence: what to fetch and where to put it
