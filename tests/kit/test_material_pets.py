"""Pets: labels, rows, loaders, and a backbone that makes a small head enough."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.transforms import ToTensor

import looplift.material.backbone as backbone
import looplift.material.pets as pets
from looplift.lesson import LessonError

CLONE = Path(__file__).resolve().parents[2]


def train_and_measure(model: nn.Module, epochs: int, max_lr: float) -> float:
    """The tutorial's loop; accuracy on the evaluation rows."""
    train_loader, eval_loader = pets.pet_loaders(16)
    mean, std = backbone.normalising()
    if epochs:
        optimizer = torch.optim.Adam(model.parameters(), lr=max_lr / 25)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=max_lr, epochs=epochs, steps_per_epoch=len(train_loader)
        )
    for _ in range(epochs):
        for batch in train_loader:
            optimizer.zero_grad()
            logits = model((batch["image"] - mean) / std)
            nn.functional.cross_entropy(logits, batch["label"]).backward()
            optimizer.step()
            scheduler.step()
    right = 0
    with torch.no_grad():
        for batch in eval_loader:
            right += int((model((batch["image"] - mean) / std).argmax(-1) == batch["label"]).sum())
    return right / 96


def file_names(loader: DataLoader) -> list[str]:
    assert isinstance(loader.dataset, pets.PetsDataset)
    return list(loader.dataset.file_names)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(42)
    np.random.seed(42)


def test_a_label_is_what_stands_before_the_number() -> None:
    assert pets.extract_label("beagle_32.jpg") == "beagle"
    assert pets.extract_label(os.path.join("some_3", "great_pyrenees_12.jpg")) == "great_pyrenees"
    with pytest.raises(ValueError, match="'beagle.jpg' is not named like breed_12.jpg"):
        pets.extract_label("beagle.jpg")


def test_breeds_are_numbered_in_alphabetical_order() -> None:
    assert pets.label_maps(["pug_1.jpg", "beagle_2.jpg", "pug_3.jpg"]) == (
        ["beagle", "pug"],
        {"beagle": 0, "pug": 1},
    )


def test_a_row_is_a_picture_and_its_breed() -> None:
    file = next(file for file in pets.pet_files() if file.endswith("pug_7.jpg"))
    plain = pets.PetsDataset([file])[0]
    assert (plain["image"].size, plain["image"].mode, plain["label"]) == ((64, 64), "RGB", "pug")
    made = pets.PetsDataset([file], ToTensor(), {"pug": 5})[0]
    assert (made["image"].shape, made["label"]) == ((3, 64, 64), 5)


def test_the_split_is_384_and_96_rows_and_evaluation_batches_are_twice_as_large() -> None:
    train_loader, eval_loader = pets.pet_loaders(10, image_size=32)
    sizes = [[tuple(batch["image"].shape) for batch in loader] for loader in (train_loader, eval_loader)]
    assert sizes[0] == [(10, 3, 32, 32)] * 38 + [(4, 3, 32, 32)]
    assert sizes[1] == [(20, 3, 32, 32)] * 4 + [(16, 3, 32, 32)]
    batch = next(iter(eval_loader))
    assert (batch["image"].dtype, batch["label"].dtype) == (torch.float32, torch.int64)
    files = [set(file_names(loader)) for loader in (train_loader, eval_loader)]
    assert not files[0] & files[1]
    assert files[0] | files[1] == set(pets.pet_files())


def test_the_split_follows_numpys_seed() -> None:
    def held_out(seed: int) -> list[str]:
        np.random.seed(seed)
        return file_names(pets.pet_loaders(16)[1])

    assert held_out(1) == held_out(1)
    assert held_out(1) != held_out(2)


def test_a_generator_fixes_the_order_of_the_training_rows() -> None:
    def labels(seed: int) -> list[int]:
        np.random.seed(0)
        loader, _ = pets.pet_loaders(64, generator=torch.Generator().manual_seed(seed))
        return [label for batch in loader for label in batch["label"].tolist()]

    assert labels(1) == labels(1)
    assert labels(1) != labels(2)


def test_missing_files_are_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pets, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(backbone, "data_folder", lambda: tmp_path)
    with pytest.raises(LessonError, match=r"No pictures in .*pets: run `python data/draw_pets.py`"):
        pets.pet_files()
    with pytest.raises(LessonError, match=r"No weights in .*backbone.safetensors: run"):
        backbone.create_pet_model(3)


def test_mean_and_std_are_those_of_the_pets() -> None:
    rows = pets.PetsDataset(pets.pet_files(), ToTensor())
    images = torch.stack([rows[i]["image"] for i in range(len(rows))])
    assert images.mean(dim=(0, 2, 3)).tolist() == pytest.approx(backbone.MEAN, abs=0.002)
    assert images.std(dim=(0, 2, 3)).tolist() == pytest.approx(backbone.STD, abs=0.002)


def test_the_network_has_the_parts_that_the_tutorial_uses() -> None:
    model = backbone.create_pet_model(12)
    assert model.get_classifier() is model.fc
    assert model.default_cfg == {"mean": backbone.MEAN, "std": backbone.STD}
    assert model(torch.rand(2, 3, 64, 64)).shape == (2, 12)
    assert not [
        part for part in model.modules() if isinstance(part, nn.modules.batchnorm._BatchNorm | nn.Dropout)
    ]
    frozen = backbone.freeze_backbone(model)
    assert [name for name, part in frozen.named_parameters() if part.requires_grad] == [
        "fc.weight",
        "fc.bias",
    ]


def test_pretrained_weights_go_into_the_backbone_and_not_into_the_head() -> None:
    torch.manual_seed(1)
    plain = backbone.create_pet_model(12, pretrained=False)
    torch.manual_seed(1)
    knowing = backbone.create_pet_model(12)
    assert torch.equal(plain.fc.weight, knowing.fc.weight)
    first, other = (model.backbone.state_dict()["0.0.weight"] for model in (plain, knowing))
    assert not torch.equal(first, other)


def test_a_loop_that_forgets_to_train_stays_at_chance() -> None:
    assert train_and_measure(backbone.create_pet_model(12), epochs=0, max_lr=0.0) < 0.2


def test_a_head_on_the_frozen_backbone_passes_90_percent() -> None:
    model = backbone.freeze_backbone(backbone.create_pet_model(12))
    assert train_and_measure(model, epochs=4, max_lr=3e-2) >= 0.9


def test_training_from_nothing_passes_90_percent() -> None:
    assert train_and_measure(backbone.create_pet_model(12, pretrained=False), epochs=5, max_lr=5e-3) >= 0.9


def test_pets_can_be_had_without_importing_datasets_or_transformers() -> None:
    code = (
        "import sys, looplift.material.pets, looplift.material.backbone\n"
        "print([name for name in ('datasets', 'transformers', 'accelerate') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(CLONE)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
