"""What the three programs train on: sentence pairs in one order, a small DistilBERT, and how it is measured."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset

from looplift.material.pairs import pair_loaders
from looplift.material.real import MissingReal, real_pairs, real_text_model
from looplift.material.text import text_model

ORDER = 6  # seed of the order in which the pairs are read


def get_dataloaders(batch_size: int, real: bool = False) -> tuple[DataLoader, DataLoader]:
    """Batches of {"input_ids", "attention_mask", "labels"} to train on and to measure with.

    The order of the training pairs is drawn once, so that all three programs read them alike.
    """
    mixed, eval_loader = real_pairs(None, batch_size) if real else pair_loaders(batch_size)
    order = torch.randperm(len(mixed.dataset), generator=torch.Generator().manual_seed(ORDER)).tolist()
    rows = Subset(mixed.dataset, order)
    return DataLoader(rows, batch_size=batch_size, collate_fn=mixed.collate_fn), eval_loader


def make_model(real: bool = False) -> nn.Module:
    """A DistilBERT with two classes: the sentences mean the same (1), or they don't (0)."""
    return real_text_model() if real else text_model()


def learning_rate(real: bool = False) -> float:
    """The rate of the first step; a large pretrained model bears only small ones."""
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


def trainer_class() -> Any:
    """A Trainer that reads the rows in the loader's order. Trainer itself mixes them anew, in an order of its own."""
    from transformers import Trainer

    class TrainerInOrder(Trainer):
        def get_train_dataloader(self) -> DataLoader:
            assert self.train_dataset is not None
            size = self.args.per_device_train_batch_size
            loader = DataLoader(self.train_dataset, batch_size=size, collate_fn=self.data_collator)
            return self.accelerator.prepare(loader)

    return TrainerInOrder


def run(train: Callable[..., object], about: str) -> None:
    """Call `train` with what the command line says: `--real`, `--epochs`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", action="store_true", help="GLUE MRPC and distilbert-base-cased")
    parser.add_argument("--epochs", type=int, default=3)
    try:
        train(**vars(parser.parse_args()))
    except MissingReal as missing:
        sys.exit(str(missing))  # one sentence: what to fetch and where to put it
