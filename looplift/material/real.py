"""The originals that the course's material stands in for: Oxford-IIIT Pet, GLUE MRPC, ResNet and DistilBERT.

Each is looked for in a folder on this machine first, then fetched into it. The folder is `root` where given, else
the environment variable LOOPLIFT_REAL, else ~/.cache/looplift, and holds

    oxford-iiit-pet/images/*.jpg, oxford-iiit-pet/annotations/     as torchvision unpacks them
    resnet18-f37072fd.pth                                          as torchvision names it
    glue/mrpc/train*.parquet, glue/mrpc/validation*.parquet        as the data set's repository holds them
    distilbert-base-cased/                                         as `save_pretrained` writes a model and its tokenizer
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies

from torch import nn
from torch.utils.data import DataLoader

from looplift.material.pets import pet_loaders
from looplift.material.rows import read_files
from looplift.material.text import encode, text_loaders

if TYPE_CHECKING:
    from datasets import DatasetDict

PETS, RESNET, MRPC, DISTILBERT = (
    "oxford-iiit-pet",
    "resnet18-f37072fd.pth",
    "glue/mrpc",
    "distilbert-base-cased",
)
REAL_LENGTH = 128  # tokens of an MRPC pair; what is longer is cut


class MissingReal(Exception):  # noqa: N818  (reads as what it says where it is raised)
    """A real data set or model is neither on this machine nor to be had; the text says what to put where."""


def real_root(root: str | Path | None = None) -> Path:
    """The folder of the originals: `root`, else $LOOPLIFT_REAL, else ~/.cache/looplift."""
    return Path(root or os.environ.get("LOOPLIFT_REAL") or Path.home() / ".cache" / "looplift").expanduser()


def _hindrance(host: str) -> str | None:
    """Why fetching is not worth a try; None if it is. Asked first, since huggingface_hub retries for half a minute."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return "HF_HUB_OFFLINE is set"
    if getproxies():
        return None  # no direct way out is needed: the proxy may have one
    try:
        socket.create_connection((host, 443), timeout=5).close()
    except OSError:
        return f"{host} cannot be reached"
    return None


@contextmanager
def _one_at_a_time(root: Path) -> Iterator[None]:
    """Two processes of one launch must not fetch the same file at once."""
    from filelock import FileLock

    root.mkdir(parents=True, exist_ok=True)
    with FileLock(root / ".fetching"):
        yield


def _fetch(
    what: str, host: str, ready: Callable[[], bool], get: Callable[[], Any], root: Path, do: str
) -> None:
    """Run `get` unless `ready`. Raises MissingReal, one sentence: what is missing, why, and what to `do`."""
    if ready():
        return
    reason = _hindrance(host)
    if reason is None:
        try:
            with _one_at_a_time(root):
                if not ready():
                    get()
            return
        except OSError as error:  # what torchvision, datasets and transformers all raise when a fetch fails
            reason = " ".join(str(error).split()) or type(error).__name__
    raise MissingReal(f"{what} missing in {root} and could not be fetched ({reason}): {do}.")


def real_pet_files(root: str | Path | None = None) -> list[str]:
    """Paths of the Oxford-IIIT pictures, sorted by name. Raises MissingReal."""
    home = real_root(root)
    folder = home / PETS

    def ready() -> bool:
        return (folder / "annotations").is_dir() and any((folder / "images").glob("*.jpg"))

    def get() -> None:
        from torchvision.datasets import OxfordIIITPet

        OxfordIIITPet(home, download=True)

    do = f"download images.tar.gz and annotations.tar.gz of Oxford-IIIT Pet and unpack both in {folder}"
    _fetch("The Oxford-IIIT pictures are", "thor.robots.ox.ac.uk", ready, get, home, do)
    return sorted(str(path) for path in (folder / "images").glob("*.jpg"))


def real_pets(
    root: str | Path | None, batch_size: int, image_size: int = 224
) -> tuple[DataLoader, DataLoader]:
    """(train_loader, eval_loader) like `pet_loaders`, over the Oxford-IIIT pictures. Raises MissingReal."""
    return pet_loaders(batch_size, image_size, files=real_pet_files(root))


def real_pet_model(num_classes: int, root: str | Path | None = None) -> nn.Module:
    """torchvision's ResNet-18 with ImageNet weights and a fresh head; `get_classifier()` and `default_cfg` as PetNet.

    Raises MissingReal.
    """
    from torchvision.models import ResNet, ResNet18_Weights
    from torchvision.models.resnet import BasicBlock

    class PetResNet(ResNet):
        def get_classifier(self) -> nn.Module:
            return self.fc

    home, weights = real_root(root), ResNet18_Weights.IMAGENET1K_V1

    def read() -> dict[str, Any]:
        return dict(weights.get_state_dict(model_dir=str(home), progress=False, weights_only=True))

    do = f"download {weights.url} into {home}"
    _fetch("The ResNet-18 weights are", "download.pytorch.org", (home / RESNET).is_file, read, home, do)
    model = PetResNet(BasicBlock, [2, 2, 2, 2])
    model.load_state_dict(read())
    model.fc = nn.Linear(model.fc.in_features, num_classes)
    seen = weights.transforms()
    model.default_cfg = {"mean": tuple(seen.mean), "std": tuple(seen.std)}  # type: ignore[assignment]
    return model


def load_real_pairs(root: str | Path | None = None) -> DatasetDict:
    """MRPC's splits `train` (3668 rows) and `validation` (408): sentence1, sentence2, label. Raises MissingReal."""
    home = real_root(root)
    folder = home / MRPC

    def found() -> dict[str, list[str]]:
        return {
            split: sorted(map(str, folder.glob(f"{split}*.parquet"))) for split in ("train", "validation")
        }

    def get() -> None:
        from datasets import load_dataset

        folder.mkdir(parents=True, exist_ok=True)
        for split, rows in load_dataset("nyu-mll/glue", "mrpc").items():
            file = folder / f"{split}-00000-of-00001.parquet"
            rows.to_parquet(file.with_suffix(".part"))
            file.with_suffix(".part").rename(file)  # another process never sees half a file

    do = f"put the parquet files of https://huggingface.co/datasets/nyu-mll/glue, folder mrpc, in {folder}"
    _fetch("GLUE MRPC is", "huggingface.co", lambda: all(found().values()), get, home, do)
    return read_files("parquet", found())


def _distilbert(root: str | Path | None) -> Path:
    home = real_root(root)
    folder = home / DISTILBERT

    def ready() -> bool:
        return (folder / "config.json").is_file() and (folder / "tokenizer_config.json").is_file()

    def get() -> None:
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        half = folder.with_suffix(".part")
        AutoModelForMaskedLM.from_pretrained(DISTILBERT).save_pretrained(half)
        AutoTokenizer.from_pretrained(DISTILBERT).save_pretrained(half)
        half.rename(folder)  # another process never sees half a model

    do = f"put the files of https://huggingface.co/distilbert/distilbert-base-cased in {folder}"
    _fetch("DistilBERT is", "huggingface.co", ready, get, home, do)
    return folder


def real_pairs(root: str | Path | None, batch_size: int) -> tuple[DataLoader, DataLoader]:
    """(train_loader, eval_loader) like `pair_loaders`, over MRPC in DistilBERT's own tokens. Raises MissingReal."""
    from transformers import AutoTokenizer

    splits = load_real_pairs(root)
    tokenizer = AutoTokenizer.from_pretrained(_distilbert(root), model_max_length=REAL_LENGTH)
    train, validation = (
        encode(tokenizer, rows["label"], rows["sentence1"], rows["sentence2"])
        for rows in (splits["train"], splits["validation"])
    )
    return text_loaders(train, validation, batch_size)


def real_text_model(root: str | Path | None = None, num_labels: int = 2) -> nn.Module:
    """distilbert-base-cased with a fresh classifier on top. Raises MissingReal."""
    from transformers import AutoModelForSequenceClassification

    return AutoModelForSequenceClassification.from_pretrained(_distilbert(root), num_labels=num_labels)
