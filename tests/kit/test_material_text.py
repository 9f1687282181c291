"""Pairs and reviews: read offline and quietly, tokenized here, learned in three epochs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.utils.data import DataLoader

from looplift.lesson import LessonError
from looplift.material import text
from looplift.material.pairs import load_pairs, pair_loaders
from looplift.material.reviews import load_reviews, review_loaders
from looplift.material.rows import read_splits

CLONE = Path(__file__).resolve().parents[2]
Loaders = Callable[..., tuple[DataLoader, DataLoader]]


def test_pairs_have_two_sentences_and_a_label() -> None:
    splits = load_pairs()
    assert {name: rows.num_rows for name, rows in splits.items()} == {"train": 960, "validation": 203}
    assert splits["train"].column_names == ["sentence1", "sentence2", "label"]
    assert set(splits["train"]["label"]) == {0, 1}


def test_reviews_have_a_text_and_a_label() -> None:
    splits = load_reviews()
    assert {name: rows.num_rows for name, rows in splits.items()} == {"train": 960, "validation": 203}
    assert splits["train"].column_names == ["text", "label"]
    assert set(splits["train"]["label"]) == {0, 1}


@pytest.mark.parametrize("loaders", [pair_loaders, review_loaders])
def test_batches_hold_padded_tokens_masks_and_labels(loaders: Loaders) -> None:
    train_loader, eval_loader = loaders(16)
    sizes = [[len(batch["labels"]) for batch in loader] for loader in (train_loader, eval_loader)]
    assert sizes == [[16] * 60, [32] * 6 + [11]]
    batch = next(iter(train_loader))
    assert {name: (tuple(part.shape), part.dtype) for name, part in batch.items()} == {
        "input_ids": ((16, 32), torch.int64),
        "attention_mask": ((16, 32), torch.int64),
        "labels": ((16,), torch.int64),
    }
    assert torch.equal(batch["attention_mask"], (batch["input_ids"] != 0).long())


@pytest.mark.parametrize("loaders", [pair_loaders, review_loaders])
def test_a_limit_keeps_the_first_rows(loaders: Loaders) -> None:
    train_loader, eval_loader = loaders(8, limit=20)
    assert [len(loader.dataset) for loader in (train_loader, eval_loader)] == [20, 20]  # type: ignore[arg-type]
    first = next(iter(loaders(100)[1]))["input_ids"]
    assert torch.equal(torch.cat([batch["input_ids"] for batch in eval_loader]), first[:20])


def test_a_generator_fixes_the_order_of_the_training_rows() -> None:
    def labels(seed: int) -> list[int]:
        loader, _ = pair_loaders(64, generator=torch.Generator().manual_seed(seed))
        return [label for batch in loader for label in batch["labels"].tolist()]

    assert labels(1) == labels(1)
    assert labels(1) != labels(2)


def test_every_row_fits_and_every_word_is_known() -> None:
    tokenizer = text.text_tokenizer()
    rows = [row for splits in (load_pairs(), load_reviews()) for part in splits.values() for row in part]
    assert len(rows) == 2 * 1163
    for row in rows:
        ids = tokenizer(*(value for name, value in row.items() if name != "label"))["input_ids"]
        assert len(ids) <= text.LENGTH, row
        assert tokenizer.unk_token_id not in ids, row


def test_a_tokenizer_knows_the_words_it_was_built_from() -> None:
    tokenizer = text.build_tokenizer(["The Lid leaks.", "a lid"])
    assert tokenizer.convert_ids_to_tokens(list(range(len(tokenizer)))) == [
        *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
        *(".", "a", "leaks", "lid", "the"),
    ]
    pair = tokenizer("The lid.", "A cap", padding="max_length", max_length=10)
    assert pair["input_ids"] == [2, 9, 8, 5, 3, 6, 1, 3, 0, 0]
    assert pair["attention_mask"] == [1] * 8 + [0] * 2


def test_the_tiny_distilbert_is_tiny_and_without_dropout() -> None:
    model = text.text_model()
    assert model.config.vocab_size == len(text.text_tokenizer())
    assert sum(part.numel() for part in model.parameters()) < 120_000
    assert {part.p for part in model.modules() if isinstance(part, torch.nn.Dropout)} == {0.0}
    assert text.tiny_distilbert(9, num_labels=3, dropout=0.1).config.dropout == 0.1


def accuracy_after(loaders: Loaders, epochs: int) -> float:
    """Accuracy on the validation rows after so many epochs of plain SGD, batches of 16."""
    torch.manual_seed(42)
    train_loader, eval_loader = loaders(16)
    model = text.text_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(epochs):
        for batch in train_loader:
            optimizer.zero_grad()
            model(**batch).loss.backward()
            optimizer.step()
    with torch.no_grad():
        right = sum(int((model(**b).logits.argmax(-1) == b["labels"]).sum()) for b in eval_loader)
    return right / 203


@pytest.mark.parametrize("loaders", [pair_loaders, review_loaders])
def test_three_epochs_pass_90_percent_and_none_stays_at_chance(loaders: Loaders) -> None:
    assert accuracy_after(loaders, epochs=3) >= 0.9
    assert 0.35 <= accuracy_after(loaders, epochs=0) <= 0.65


def test_reading_makes_no_noise_and_leaves_no_cache(tmp_path: Path) -> None:
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "XDG_"))}
    environ |= {"HF_HUB_OFFLINE": "1", "HOME": str(home), "TMPDIR": str(scratch), "PYTHONPATH": str(CLONE)}
    code = (
        "from looplift.material.pairs import pair_loaders\n"
        "from looplift.material.reviews import review_loaders\n"
        "print(len(pair_loaders(16)[0]), len(review_loaders(16)[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("60 7\n", "")
    assert [path for path in (*home.rglob("*"), *scratch.rglob("*")) if path.is_file()] == []


def test_a_forked_process_can_read_after_its_parent_has_read() -> None:
    """As when a notebook has run the plain loop and then launches two processes."""
    code = (
        "import os\n"
        "from looplift.material.pairs import load_pairs, pair_loaders\n"
        "from looplift.material.reviews import review_loaders\n"
        "pair_loaders(16)\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    print(len(review_loaders(16)[0]), len(load_pairs()['train']), flush=True)\n"
        "    os._exit(0)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    environ = os.environ | {"PYTHONPATH": str(CLONE)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("60 960\n0\n", "")


def test_missing_files_are_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(LessonError, match=r"No rows in .*train.csv: run `python data/write_texts.py`"):
        read_splits(tmp_path, "csv", "csv")
    monkeypatch.setattr(text, "data_folder", lambda: tmp_path)
    text.text_tokenizer.cache_clear()
    try:
        with pytest.raises(LessonError, match=r"No word list .*vocabulary.txt"):
            text.text_tokenizer()
    finally:
        text.text_tokenizer.cache_clear()
