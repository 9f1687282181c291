"""The originals: read from a local folder of their own layout, or missed in one clear sentence."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from torch import nn

from looplift.material import real, text
from looplift.material.pets import label_maps

READERS: dict[str, Callable[[Path], Any]] = {
    "oxford-iiit-pet": real.real_pet_files,
    "resnet18-f37072fd.pth": lambda root: real.real_pet_model(3, root),
    "nyu-mll/glue": real.load_real_pairs,
    "distilbert-base-cased": real.real_text_model,
}


def put_pets(root: Path) -> None:
    """Ten pictures where torchvision's OxfordIIITPet keeps them, and the file that is no picture."""
    images = root / "oxford-iiit-pet" / "images"
    images.mkdir(parents=True)
    (root / "oxford-iiit-pet" / "annotations").mkdir()
    for number in range(1, 6):
        for breed in ("Abyssinian", "great_pyrenees"):
            Image.new("RGB", (90, 60 + number), (40 * number, 90, 120)).save(images / f"{breed}_{number}.jpg")
    (images / "Abyssinian_100.mat").touch()


def put_pairs(root: Path) -> None:
    """Six and three rows as the data set's repository holds them."""
    from datasets import Dataset

    folder = root / "glue" / "mrpc"
    folder.mkdir(parents=True)
    for split, count in (("train", 6), ("validation", 3)):
        rows = {
            "sentence1": [f"The lid is number {i} ." for i in range(count)],
            "sentence2": ["It leaks ."] * count,
            "label": [i % 2 for i in range(count)],
            "idx": list(range(count)),
        }
        Dataset.from_dict(rows).to_parquet(folder / f"{split}-00000-of-00001.parquet")


def put_distilbert(root: Path) -> None:
    """A small model and its tokenizer, saved under the name of the large one."""
    from transformers import DistilBertConfig, DistilBertForMaskedLM

    words = ["the lid is number it leaks . 0 1 2 3 4 5"]
    tokenizer = text.build_tokenizer(words, length=512)
    tokenizer.save_pretrained(root / "distilbert-base-cased")
    config = DistilBertConfig(vocab_size=len(tokenizer), dim=16, hidden_dim=16, n_layers=1, n_heads=2)
    DistilBertForMaskedLM(config).save_pretrained(root / "distilbert-base-cased")


def test_pets_are_read_from_torchvisions_layout(tmp_path: Path) -> None:
    put_pets(tmp_path)
    files = real.real_pet_files(tmp_path)
    assert len(files) == 10
    assert label_maps(files)[0] == ["Abyssinian", "great_pyrenees"]
    train_loader, eval_loader = real.real_pets(tmp_path, batch_size=3)
    assert [len(batch["label"]) for batch in train_loader] == [3, 3, 2]
    assert next(iter(eval_loader))["image"].shape == (2, 3, 224, 224)


def test_resnet_gets_the_weights_in_the_folder_and_a_fresh_head(tmp_path: Path) -> None:
    from torchvision.models import resnet18

    torch.manual_seed(0)
    original = resnet18()
    torch.save(original.state_dict(), tmp_path / "resnet18-f37072fd.pth")
    model = real.real_pet_model(3, tmp_path)
    assert torch.equal(model.conv1.weight, original.conv1.weight)  # type: ignore[union-attr, arg-type]
    head = model.get_classifier()  # type: ignore[operator]
    assert isinstance(head, nn.Linear)
    assert (head.in_features, head.out_features) == (512, 3)
    assert model.default_cfg == {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
    assert model(torch.rand(2, 3, 64, 64)).shape == (2, 3)


def test_mrpc_and_distilbert_are_read_from_local_folders(tmp_path: Path) -> None:
    put_pairs(tmp_path)
    put_distilbert(tmp_path)
    assert {name: rows.num_rows for name, rows in real.load_real_pairs(tmp_path).items()} == {
        "train": 6,
        "validation": 3,
    }
    train_loader, eval_loader = real.real_pairs(tmp_path, batch_size=2)
    model = real.real_text_model(tmp_path)
    assert [len(batch["labels"]) for batch in train_loader] == [2, 2, 2]
    batch = next(iter(eval_loader))
    assert batch["input_ids"].shape == (3, real.REAL_LENGTH)
    assert batch["labels"].tolist() == [0, 1, 0]
    assert model(**batch).logits.shape == (3, 2)


@pytest.mark.parametrize("name", READERS)
def test_what_is_missing_is_said_in_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(real.MissingReal) as caught:
        READERS[name](tmp_path)
    said = str(caught.value)
    assert name in said
    assert str(tmp_path) in said
    assert "(HF_HUB_OFFLINE is set)" in said
    assert re.search(r": (download|put) .*\.$", said), said
    assert "\n" not in said
    assert not re.search(r"[.] [A-Z]", said)


def test_an_unreachable_host_is_noticed_before_the_libraries_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_route(*_: object, **__: object) -> None:
        raise OSError("Name or service not known")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(real, "getproxies", dict)
    monkeypatch.setattr(socket, "create_connection", no_route)
    with pytest.raises(real.MissingReal, match=r"could not be fetched \(huggingface.co cannot be reached\)"):
        real.real_text_model(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_pets_are_fetched_once_when_the_network_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[Path, bool]] = []

    def fetch(root: Path, download: bool) -> None:
        calls.append((root, download))
        put_pets(root)

    monkeypatch.setattr(real, "_hindrance", lambda host: None)
    monkeypatch.setattr("torchvision.datasets.OxfordIIITPet", fetch)
    assert len(real.real_pet_files(tmp_path)) == 10
    assert len(real.real_pet_files(tmp_path)) == 10
    assert calls == [(tmp_path, True)]


def test_mrpc_is_fetched_into_the_layout_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    put_pairs(tmp_path / "hub")
    hub = real.load_real_pairs(tmp_path / "hub")
    asked: list[tuple[str, ...]] = []

    def from_the_hub(*names: str, **kind: Any) -> Any:
        if names[0] == "parquet":
            return from_files(*names, **kind)
        asked.append(names)
        return hub

    from_files = datasets.load_dataset
    monkeypatch.setattr(real, "_hindrance", lambda host: None)
    monkeypatch.setattr(datasets, "load_dataset", from_the_hub)
    assert real.load_real_pairs(tmp_path / "here")["train"].to_dict() == hub["train"].to_dict()
    assert real.load_real_pairs(tmp_path / "here")["validation"].to_dict() == hub["validation"].to_dict()
    assert asked == [("nyu-mll/glue", "mrpc")]
    names = sorted(path.name for path in (tmp_path / "here" / "glue" / "mrpc").iterdir())
    assert names == ["train-00000-of-00001.parquet", "validation-00000-of-00001.parquet"]


def test_distilbert_is_fetched_with_its_tokenizer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers

    put_distilbert(tmp_path / "hub")
    asked: list[str] = []

    def whole(name: str) -> Any:
        asked.append(name)
        config = transformers.DistilBertConfig.from_pretrained(tmp_path / "hub" / name)
        return transformers.DistilBertForMaskedLM(config)

    def words(name: str, **kind: Any) -> Any:
        asked.append(name)
        return transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path / "hub" / name)

    monkeypatch.setattr(real, "_hindrance", lambda host: None)
    monkeypatch.setattr(transformers.AutoModelForMaskedLM, "from_pretrained", whole)
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", words)
    model = real.real_text_model(tmp_path / "here", num_labels=4)
    assert asked == ["distilbert-base-cased", "distilbert-base-cased"]
    assert model.num_labels == 4  # type: ignore[comparison-overlap]
    assert sorted(path.name for path in (tmp_path / "here").iterdir() if path.is_dir()) == [
        "distilbert-base-cased"
    ]


def test_a_failed_fetch_is_said_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(root: Path, download: bool) -> None:
        raise ConnectionResetError("the line\nwent dead")

    monkeypatch.setattr(real, "_hindrance", lambda host: None)
    monkeypatch.setattr("torchvision.datasets.OxfordIIITPet", fail)
    with pytest.raises(
        real.MissingReal, match=r"could not be fetched \(the line went dead\): download images"
    ):
        real.real_pet_files(tmp_path)


def test_the_folder_is_the_given_one_or_the_environments_or_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LOOPLIFT_REAL", raising=False)
    assert real.real_root() == tmp_path / ".cache" / "looplift"
    monkeypatch.setenv("LOOPLIFT_REAL", "~/originals")
    assert real.real_root() == tmp_path / "originals"
    assert real.real_root("elsewhere") == Path("elsewhere")
