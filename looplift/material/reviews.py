"""Short product reviews: label 1 for a happy buyer, 0 for an unhappy one."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.utils.data import DataLoader

from looplift.lesson import data_folder
from looplift.material.rows import read_splits
from looplift.material.text import EncodedRows, encode, text_loaders, text_tokenizer

if TYPE_CHECKING:
    from datasets import DatasetDict

_COLUMNS = ("input_ids", "attention_mask", "labels")


def load_reviews() -> DatasetDict:
    """Splits `train` (960 rows) and `validation` (203): columns text, label."""
    return read_splits(data_folder() / "reviews", "json", "jsonl")


@lru_cache(maxsize=1)
def _encoded() -> tuple[EncodedRows, EncodedRows]:
    splits = load_reviews()
    train, validation = (
        encode(text_tokenizer(), rows["label"], rows["text"])
        for rows in (splits["train"], splits["validation"])
    )
    return train, validation


def review_loaders(
    batch_size: int, limit: int | None = None, generator: torch.Generator | None = None
) -> tuple[DataLoader, DataLoader]:
    """(train_loader, eval_loader) of batches `{"input_ids", "attention_mask", "labels"}`, int64.

    Evaluation batches are twice as large. limit: only so many rows of each split. generator: fixes the order of the
    training rows; torch's global one if None. The files are read and tokenized once in a process.
    """
    return text_loaders(*_encoded(), batch_size, limit, generator)


def split_reviews(batch_size: int) -> tuple[DataLoader, DataLoader]:
    """(train_loader, eval_loader) like `review_loaders`, over an 80/20 split of all reviews, as the tutorial's pets.

    The split is drawn from numpy's global generator: seed before calling (`set_seed`), or two processes split
    differently.
    """
    parts = _encoded()
    columns = [torch.cat([getattr(rows, name) for rows in parts]) for name in _COLUMNS]
    random_perm = np.random.permutation(len(columns[0]))
    cut = int(0.8 * len(random_perm))
    train, evaluation = (
        EncodedRows(*(column[torch.from_numpy(part)] for column in columns))
        for part in (random_perm[:cut], random_perm[cut:])
    )
    return text_loaders(train, evaluation, batch_size)
