"""What before.py and after.py train on: sentence pairs, a small DistilBERT, and how it is measured."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from looplift.material.pairs import pair_loaders
from looplift.material.real import MissingReal, real_pairs, real_text_model
from looplift.material.text import EncodedRows, text_loaders, text_model

LOGS = "runs"  # `tensorboard --logdir runs` shows what is in it


def get_dataloaders(batch_size: int, real: bool = False) -> tuple[DataLoader, DataLoader]:
    """Batches of {"input_ids", "attention_mask", "labels"} to train on and to measure with.

    The first call tokenizes the sentences and keeps them in a file, the calls after it read that file. With a large
    data set the first one takes hours.
    """
    file = Path("prepared-real.pt" if real else "prepared.pt")
    if not file.exists():
        made = real_pairs(None, batch_size) if real else pair_loaders(batch_size)
        parts = [loader.dataset for loader in made]
        torch.save([(it.input_ids, it.attention_mask, it.labels) for it in parts], file)
    train_rows, eval_rows = (EncodedRows(*columns) for columns in torch.load(file))
    return text_loaders(train_rows, eval_rows, batch_size)


def make_model(real: bool = False) -> nn.Module:
    """A DistilBERT with two classes: the sentences mean the same (1), or they don't (0)."""
    return real_text_model() if real else text_model()


def learning_rate(real: bool = False) -> float:
    """A large pretrained model bears only small steps."""
    return 2e-5 if real else 1e-3


def accuracy(model: nn.Module, loader: DataLoader) -> float:
    """The share of pairs that the model judges rightly, 0 to 1."""
    device = next(model.parameters()).device
    right, seen = 0, 0
    model.eval()
    for batch in loader:
        with torch.no_grad():
            logits = model(**{name: column.to(device) for name, column in batch.items()}).logits
        guesses = logits.argmax(dim=-1).cpu()
        right += int((guesses == batch["labels"]).sum())
        seen += len(guesses)
    return right / seen


def run(train: Callable[..., object], about: str) -> None:
    """Call `train` with what the command line says: `--real`, `--epochs`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", action="store_true", help="GLUE MRPC and distilbert-base-cased")
    parser.add_argument("--epochs", type=int, default=3)
    try:
        train(**vars(parser.parse_args()))
    except MissingReal as missing:
        sys.exit(str(missing))  # one sentence: what to fetch and where to put it
