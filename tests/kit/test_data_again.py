"""The committed data can be made again by the programs beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

from looplift.lesson import data_folder
from looplift.material.backbone import PetNet, normalising
from looplift.material.pets import PetsDataset, label_maps, pet_files

CLONE = Path(__file__).resolve().parents[2]
TEXTS = (
    "pairs/train.csv",
    "pairs/validation.csv",
    "reviews/train.jsonl",
    "reviews/validation.jsonl",
    "vocabulary.txt",
)


def make_again(program: str, place: Path) -> None:
    """Run one of the programs in data/, as data/README.md says."""
    environ = os.environ | {"PYTHONPATH": str(CLONE), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(data_folder() / program), str(place)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert str(place) in done.stdout


def test_the_sentences_come_out_byte_for_byte(tmp_path: Path) -> None:
    make_again("write_texts.py", tmp_path)
    made = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    assert made == sorted(TEXTS)
    for name in TEXTS:
        assert (tmp_path / name).read_bytes() == (data_folder() / name).read_bytes(), name


def test_the_pets_come_out_pixel_for_pixel(tmp_path: Path) -> None:
    make_again("draw_pets.py", tmp_path)
    committed = [Path(file) for file in pet_files()]
    assert sorted(path.name for path in tmp_path.iterdir()) == [path.name for path in committed]
    assert len(committed) == 480
    for file in committed:
        old, new = (
            np.asarray(Image.open(path).convert("RGB"), dtype=float) for path in (file, tmp_path / file.name)
        )
        assert old.shape == (64, 64, 3)
        assert np.abs(old - new).mean() <= 2.0, f"{file.name} is drawn otherwise by this Pillow, or by hand"


def head_accuracy(backbone: dict[str, torch.Tensor]) -> float:
    """Accuracy on 96 held-out pets of a head trained for four epochs on these frozen weights."""
    _, label_to_id = label_maps(pet_files())
    pets = PetsDataset(pet_files(), np.asarray, label_to_id)
    rows = [pets[i] for i in range(480)]
    images = torch.stack([torch.from_numpy(row["image"].copy()) for row in rows]).permute(0, 3, 1, 2) / 255
    labels = torch.tensor([row["label"] for row in rows])
    torch.manual_seed(0)
    model = PetNet(12)
    model.backbone.load_state_dict(backbone)
    mean, std = normalising()
    with torch.no_grad():
        features = model.backbone((images - mean) / std)
    train, held_out = torch.randperm(480).split((384, 96))
    optimizer = torch.optim.Adam(model.fc.parameters(), lr=1e-2)
    for _ in range(4):
        for some in train.split(16):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model.fc(features[some]), labels[some]).backward()
            optimizer.step()
    return float((model.fc(features[held_out]).argmax(-1) == labels[held_out]).float().mean())


def test_the_backbone_comes_out_again(tmp_path: Path) -> None:
    """The same numbers on the same kind of machine; elsewhere numbers that do the same job."""
    make_again("train_backbone.py", tmp_path / "again.safetensors")
    old = load_file(data_folder() / "backbone.safetensors")
    new = load_file(tmp_path / "again.safetensors")
    assert {name: part.shape for name, part in new.items()} == {
        name: part.shape for name, part in old.items()
    }
    assert len(old) == 9
    if all(torch.allclose(new[name], old[name], atol=1e-3) for name in old):
        return
    assert head_accuracy(new) == pytest.approx(head_accuracy(old), abs=0.05)


def test_the_committed_backbone_is_worth_having() -> None:
    untrained = PetNet(12).backbone.state_dict()
    assert head_accuracy(load_file(data_folder() / "backbone.safetensors")) >= 0.9
    assert head_accuracy(untrained) <= 0.75
