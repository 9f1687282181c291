"""What the committed data is: how much, how large, how balanced, and what cannot be guessed from half of it."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from types import ModuleType

import pytest

from looplift.lesson import data_folder
from looplift.material.pets import extract_label, pet_files

Rows = list[dict[str, str]]


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, ModuleType, ModuleType]]:
    """(draw_pets, train_backbone, phrases), imported from data/ as the programs import each other."""
    monkeypatch.syspath_prepend(str(data_folder()))
    import draw_pets
    import phrases
    import train_backbone

    yield draw_pets, train_backbone, phrases
    for name in ("draw_pets", "phrases", "train_backbone"):
        sys.modules.pop(name, None)


def pairs(split: str) -> Rows:
    with (data_folder() / "pairs" / f"{split}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def reviews(split: str) -> Rows:
    lines = (data_folder() / "reviews" / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [{name: str(value) for name, value in json.loads(line).items()} for line in lines]


def test_480_pets_of_12_breeds_are_under_3_megabytes() -> None:
    files = pet_files()
    breeds = Counter(extract_label(file) for file in files)
    assert breeds == dict.fromkeys(breeds, 40)
    assert len(breeds) == 12
    assert sum("_" in breed for breed in breeds) == 8
    assert any(file.endswith("great_pyrenees_12.jpg") for file in files)
    assert sum(path.stat().st_size for path in (data_folder() / "pets").iterdir()) < 3_000_000


def test_the_backbone_is_under_a_megabyte() -> None:
    assert (data_folder() / "backbone.safetensors").stat().st_size < 1_000_000


def test_the_backbone_was_trained_on_other_breeds(
    programs: tuple[ModuleType, ModuleType, ModuleType],
) -> None:
    draw_pets, train_backbone, _ = programs
    looks = [
        {(it.coat, it.second, it.marking, it.ears, it.tail, it.legs, it.girth, it.length) for it in breeds}
        for breeds in (draw_pets.BREEDS, [train_backbone.invent(i) for i in range(train_backbone.INVENTED)])
    ]
    assert [len(some) for some in looks] == [12, 24]
    assert not looks[0] & looks[1]
    assert {it.name for it in draw_pets.BREEDS} == {extract_label(file) for file in pet_files()}


@pytest.mark.parametrize("read", [pairs, reviews])
def test_rows_are_many_balanced_and_never_the_same(read) -> None:  # type: ignore[no-untyped-def]
    train, validation = read("train"), read("validation")
    assert (len(train), len(validation)) == (960, 203)
    assert Counter(row["label"] for row in train) == {"0": 480, "1": 480}
    assert Counter(row["label"] for row in validation) == {"0": 102, "1": 101}
    texts = [frozenset(value for name, value in row.items() if name != "label") for row in train + validation]
    assert len(set(texts)) == 1163
    seen = set().union(*texts[:960])
    assert not [row for row in texts[960:] if row & seen]


def test_the_validation_rows_divide_by_no_usual_batch_size() -> None:
    assert [203 % size for size in (4, 8, 16, 32, 64)] == [3, 3, 11, 11, 11]


@pytest.mark.parametrize("column", ["sentence1", "sentence2"])
def test_one_sentence_of_a_pair_does_not_tell_the_label(
    column: str, programs: tuple[ModuleType, ModuleType, ModuleType]
) -> None:
    """The best guess from one sentence's event, or from its report, is right hardly more often than a coin."""
    _, _, phrases = programs
    outcomes = sorted((*phrases.HAPPENED, *phrases.CANCELLED), key=len, reverse=True)
    events = sorted((name for names in phrases.EVENTS for name in names), key=len, reverse=True)
    for words in (outcomes, events):
        labels: dict[str, list[str]] = defaultdict(list)
        for row in pairs("train"):
            labels[next(word for word in words if word in row[column].lower())].append(row["label"])
        guess = {word: Counter(found).most_common(1)[0][0] for word, found in labels.items()}
        checked = [
            guess[next(word for word in words if word in row[column].lower())] == row["label"]
            for row in pairs("validation")
        ]
        assert len(checked) == 203
        assert 0.35 < sum(checked) / 203 < 0.65


def test_the_two_reports_decide_the_label(programs: tuple[ModuleType, ModuleType, ModuleType]) -> None:
    _, _, phrases = programs

    def happened(sentence: str) -> bool:
        return any(words in sentence for words in phrases.HAPPENED)

    rows = pairs("train") + pairs("validation")
    agreed = [str(int(happened(row["sentence1"]) == happened(row["sentence2"]))) for row in rows]
    assert len(rows) == 1163
    assert agreed == [row["label"] for row in rows]


def test_the_vocabulary_holds_every_word() -> None:
    import re

    known = (data_folder() / "vocabulary.txt").read_text(encoding="utf-8").split()
    texts = [
        value
        for read in (pairs, reviews)
        for split in ("train", "validation")
        for row in read(split)
        for name, value in row.items()
        if name != "label"
    ]
    assert len(texts) == 1163 * 3
    assert known == sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())})
