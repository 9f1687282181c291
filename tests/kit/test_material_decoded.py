"""The pets, decoded once: the same numbers for whoever reads them, and rows like those of the other loaders."""

from __future__ import annotations

import torch

from looplift.material.decoded import decode_pets, decoded_loaders

PETS = decode_pets(image_size=16)


def test_every_picture_is_there_and_every_breed_in_both_parts() -> None:
    assert PETS["images"].shape == (480, 3, 16, 16) and PETS["images"].dtype == torch.uint8
    assert PETS["labels"].bincount().tolist() == [40] * 12
    train, evaluation = decoded_loaders(PETS, 16)
    assert (len(train.dataset), len(evaluation.dataset)) == (384, 96)  # type: ignore[arg-type]
    for loader in (train, evaluation):
        assert {int(it["label"]) for it in loader.dataset} == set(range(12))


def test_it_is_the_same_whatever_was_drawn_before() -> None:
    torch.manual_seed(3)
    again = decode_pets(image_size=16)
    assert all(torch.equal(PETS[name], again[name]) for name in PETS)


def test_a_batch_is_what_the_other_loaders_give() -> None:
    train, evaluation = decoded_loaders(PETS, 16)
    batch = next(iter(train))
    assert batch["image"].shape == (16, 3, 16, 16) and batch["image"].dtype == torch.float32
    assert 0 <= float(batch["image"].min()) < float(batch["image"].max()) <= 1
    assert batch["label"].dtype == torch.int64 and next(iter(evaluation))["label"].shape == (32,)


def test_it_can_be_kept_in_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    torch.save(PETS, tmp_path / "pets.pt")
    kept = torch.load(tmp_path / "pets.pt")
    assert all(torch.equal(PETS[name], kept[name]) for name in PETS)
