"""Hidden token rows and a very small DistilBERT in float64."""

from __future__ import annotations

import torch

from looplift.hidden.task import HiddenTask, Metric, Row

WORDS = 48  # size of the vocabulary
LENGTH = 10  # tokens in a row
NOISE = 0.2  # share of labels that are flipped, so that no score is perfect


def _rows(draw: torch.Generator, count: int, for_eval: bool) -> list[Row]:
    """Rows whose label says whether more than half of the tokens come from the upper half of the vocabulary.

    The first rows of an evaluation set are all of class 1: a loop that counts the rows with which Accelerate fills
    the last batch (the first rows again) gets another F1.
    """
    rows: list[Row] = []
    seen: set[bytes] = set()
    while len(rows) < count:
        ids = torch.randint(1, WORDS, (LENGTH,), generator=draw)
        high = bool((ids >= WORDS // 2).sum() > LENGTH // 2)
        flipped = bool(torch.rand(1, generator=draw) < NOISE)
        label = 1 if for_eval and len(rows) < count // 3 else int(high != flipped)
        if ids.numpy().tobytes() in seen:
            continue
        seen.add(ids.numpy().tobytes())
        rows.append({"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": torch.tensor(label)})
    return rows


def _model() -> torch.nn.Module:
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    config = DistilBertConfig(  # type: ignore[call-arg]  # its keywords end in **kwargs that the stubs lack
        vocab_size=WORDS,
        max_position_embeddings=LENGTH,
        dim=16,
        hidden_dim=32,
        n_layers=1,
        n_heads=2,
        dropout=0.0,
        attention_dropout=0.0,
        seq_classif_dropout=0.0,
        initializer_range=0.2,
        num_labels=2,
        attn_implementation="eager",
    )
    return DistilBertForSequenceClassification(config)


def predict(model: torch.nn.Module, rows: list[Row]) -> torch.Tensor:
    """The class of each row."""
    model.eval()
    with torch.no_grad():
        ids = torch.stack([row["input_ids"] for row in rows])
        mask = torch.stack([row["attention_mask"] for row in rows])
        return model(input_ids=ids, attention_mask=mask).logits.argmax(dim=-1)


def f1(predicted: torch.Tensor, labels: torch.Tensor) -> float:
    """F1 of class 1; 0 when nothing is predicted or nothing is there."""
    hits = int(((predicted == 1) & (labels == 1)).sum())
    wrong = int((predicted != labels).sum())
    return 2 * hits / (2 * hits + wrong) if hits else 0.0


def texts(with_f1: bool = False, accumulation: int = 1, saves: str = "") -> HiddenTask:
    """Token rows for a classifier; with_f1 when the exercise's loop returns the F1 of class 1.

    saves: the constant that names the file in which it leaves its weights.
    """
    metric = Metric(predict, f1) if with_f1 else None
    return HiddenTask(
        rows=_rows, model=_model, key="input_ids", metric=metric, accumulation=accumulation, saves=saves
    )
