"""Sentence pairs: two reports of one event, label 1 if they agree and 0 if they do not."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import torch
from torch.utils.data import DataLoader

from looplift.lesson import data_folder
from looplift.material.rows import read_splits
from looplift.material.text import EncodedRows, encode, text_loaders, text_tokenizer

if TYPE_CHECKING:
    from datasets import DatasetDict


def load_pairs() -> DatasetDict:
    """Splits `train` (960 rows) and `validation` (203): columns sentence1, sentence2, label."""
    return read_splits(data_folder() / "pairs", "csv", "csv")


@lru_cache(maxsize=1)
def _encoded() -> tuple[EncodedRows, EncodedRows]:
    splits = load_pairs()
    train, validation = (
        encode(text_tokenizer(), rows["label"], rows["sentence1"], rows["sentence2"])
        for rows in (splits["train"], splits["validation"])
    )
    return train, validation


def pair_loaders(
    batch_size: int, limit: int | None = None, generator: torch.Generator | None = None
) -> tuple[DataLoader, DataLoader]:
    """(train_loader, eval_loader) of batches `{"input_ids", "attention_mask", "labels"}`, int64.

    Evaluation batches are twice as large. limit: only so many rows of each split. generator: fixes the order of the
    training rows; torch's global one if None. The files are read and tokenized once in a process.
    """
    return text_loaders(*_encoded(), batch_size, limit, generator)
