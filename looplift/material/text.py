"""Words to numbers, and a DistilBERT small enough to learn the course's sentences in seconds on a CPU.

The tokenizer is built here from a list of words, so nothing is downloaded. The model is transformers' own
DistilBERT with two layers of width 64. Its starting weights are spread wider than DistilBERT's usual 0.02, except
those of the positions: with the usual ones it sits on a plateau for several epochs, and with loud positions it has
to learn first that a word is the same word three places further on. data/README.md has the measurements.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from looplift.lesson import LessonError, data_folder

if TYPE_CHECKING:
    from transformers import (
        DistilBertForSequenceClassification,
        PreTrainedTokenizerBase,
        PreTrainedTokenizerFast,
    )

LENGTH = 32  # tokens in a row, padding included
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def build_tokenizer(texts: Iterable[str], length: int = LENGTH) -> PreTrainedTokenizerFast:
    """A tokenizer that knows the lower-case words and punctuation of `texts`, one number each, sorted.

    One text becomes `[CLS] a [SEP]`, two become `[CLS] a [SEP] b [SEP]`; `length` is the most tokens of a row.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    split = BertPreTokenizer()
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text.lower())})
    numbers = {word: i for i, word in enumerate([*_SPECIAL, *words])}
    tokenizer = Tokenizer(WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = split
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=length,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_input_names=["input_ids", "attention_mask"],
    )


@lru_cache(maxsize=1)
def text_tokenizer() -> PreTrainedTokenizerFast:
    """The tokenizer of the course: it knows every word of the pairs and the reviews.

    Raises LessonError when data/vocabulary.txt is missing.
    """
    file = data_folder() / "vocabulary.txt"
    if not file.is_file():
        raise LessonError(
            f"No word list {file}: run `python data/write_texts.py` in a clone, or install again."
        )
    return build_tokenizer([file.read_text(encoding="utf-8")])


def tiny_distilbert(
    vocab_size: int, num_labels: int = 2, dropout: float = 0.0
) -> DistilBertForSequenceClassification:
    """A DistilBERT of width 64 with two layers, untrained, drawn from torch's generator.

    Without dropout by default, so that one process and two can be compared number by number.
    """
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    config = DistilBertConfig(
        vocab_size=vocab_size,
        max_position_embeddings=LENGTH,
        dim=64,
        hidden_dim=128,
        n_layers=2,
        n_heads=4,
        dropout=dropout,
        attention_dropout=dropout,
        seq_classif_dropout=dropout,
        initializer_range=0.15,
        pad_token_id=0,
        num_labels=num_labels,  # type: ignore[call-arg]  # a field of the base class, set by keyword
    )
    model = DistilBertForSequenceClassification(config)
    with torch.no_grad():
        model.distilbert.embeddings.position_embeddings.weight.mul_(0.1)
    return model


def text_model(num_labels: int = 2, dropout: float = 0.0) -> DistilBertForSequenceClassification:
    """The tiny DistilBERT for the course's vocabulary."""
    return tiny_distilbert(len(text_tokenizer()), num_labels, dropout)


class EncodedRows(Dataset):
    """Tokenized rows: `{"input_ids": int64 [LENGTH], "attention_mask": int64 [LENGTH], "labels": int64 []}`."""

    def __init__(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor) -> None:
        self.input_ids, self.attention_mask, self.labels = input_ids, attention_mask, labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, idx: int) -> dict[str, Tensor]:
        return {
            "input_ids": self.input_ids[idx],
            "attention_mask": self.attention_mask[idx],
            "labels": self.labels[idx],
        }


def encode(
    tokenizer: PreTrainedTokenizerBase,
    labels: Sequence[int],
    texts: Sequence[str],
    others: Sequence[str] | None = None,
) -> EncodedRows:
    """Rows of one text each, or of two if `others` is given, all padded to the tokenizer's length."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns on stderr after every fork
    coded = tokenizer(
        list(texts),
        None if others is None else list(others),
        padding="max_length",
        truncation=True,
        return_tensors="pt",
    )
    return EncodedRows(
        coded["input_ids"], coded["attention_mask"], torch.tensor(list(labels), dtype=torch.int64)
    )


def text_loaders(
    train_rows: EncodedRows,
    eval_rows: EncodedRows,
    batch_size: int,
    limit: int | None = None,
    generator: torch.Generator | None = None,
) -> tuple[DataLoader, DataLoader]:
    """(train_loader, eval_loader); the first is shuffled, the second is in the file's order.

    limit: keep only so many rows of each. generator: fixes the order of the training rows; torch's global one if
    None.
    """
    if limit is not None:
        train_rows, eval_rows = (
            EncodedRows(rows.input_ids[:limit], rows.attention_mask[:limit], rows.labels[:limit])
            for rows in (train_rows, eval_rows)
        )
    train_loader = DataLoader(train_rows, shuffle=True, batch_size=batch_size, generator=generator)
    return train_loader, DataLoader(eval_rows, shuffle=False, batch_size=batch_size * 2)
