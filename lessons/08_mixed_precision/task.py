"""What before.py and after.py train on: sentence pairs, a small DistilBERT, and how it is measured."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader

from looplift.material.pairs import pair_loaders
from looplift.material.real import MissingReal, real_pairs, real_text_model
from looplift.material.text import text_model


def get_dataloaders(batch_size: int, real: bool = False) -> tuple[DataLoader, DataLoader]:
    """Batches of {"input_ids", "attention_mask", "labels"} to train on and to measure with."""
    return real_pairs(None, batch_size) if real else pair_loaders(batch_size)


def make_model(real: bool = False) -> nn.Module:
    """A DistilBERT with two classes: the sentences mean the same (1), or they don't (0)."""
    return real_text_model() if real else text_model()


def make_average(model: nn.Module) -> AveragedModel:
    """A copy of the model whose weights follow the model's slowly; it is measured, and never trained."""
    return AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))


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
    """Call `train` with what the command line says: `--real`, `--epochs`, `--precision`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", action="store_true", help="GLUE MRPC and distilbert-base-cased")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--precision", choices=("no", "bf16", "fp16"), default="bf16")
    try:
        train(**vars(parser.parse_args()))
    except MissingReal as missing:
        sys.exit(str(missing))  # one sentence: what to fetch and where to put it
