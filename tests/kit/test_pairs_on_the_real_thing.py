"""`--real`: the pair scripts train on the originals when they are there, and say one sentence when they are not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torchvision.models import resnet18
from transformers import DistilBertConfig, DistilBertForSequenceClassification

from looplift.lesson import Lesson, find_lesson, lessons
from looplift.material.pairs import load_pairs
from looplift.material.pets import pet_files
from looplift.material.text import text_model, text_tokenizer

# The points of lesson 05 are drawn: there is no real thing to fetch.
PAIRS = [it for it in lessons() if "--real" in it.before.read_text(encoding="utf-8")]
ROOT = Path(__file__).parents[2]


def run_real(lesson: Lesson, script: str, real: Path) -> subprocess.CompletedProcess[str]:
    """One epoch of a script with `--real`, with the originals looked for in a folder and no network."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "LOOPLIFT_REAL": str(real),
        "HF_HUB_OFFLINE": "1",
        "ACCELERATE_USE_CPU": "yes",
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
    }
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        env.pop(name, None)
    command = [sys.executable, script, "--real", "--epochs", "1"]
    return subprocess.run(command, cwd=lesson.folder, env=env, capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def real_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The layout of the originals with little in it: 20 pictures, an untrained ResNet, 24 pairs, a tiny DistilBERT."""
    root = tmp_path_factory.mktemp("real")
    images = root / "oxford-iiit-pet" / "images"
    images.mkdir(parents=True)
    (root / "oxford-iiit-pet" / "annotations").mkdir()
    for file in pet_files()[::24]:
        shutil.copy(file, images)
    torch.manual_seed(0)
    torch.save(resnet18().state_dict(), root / "resnet18-f37072fd.pth")

    (root / "glue" / "mrpc").mkdir(parents=True)
    for split, rows in load_pairs().items():
        rows.select(range(24)).to_parquet(root / "glue" / "mrpc" / f"{split}-00000-of-00001.parquet")
    small = {
        **text_model().config.to_dict(),
        "max_position_embeddings": 512,
    }  # MRPC's rows are longer than ours
    DistilBertForSequenceClassification(DistilBertConfig(**small)).save_pretrained(
        root / "distilbert-base-cased"
    )
    text_tokenizer().save_pretrained(root / "distilbert-base-cased")
    return root


@pytest.mark.parametrize("lesson", PAIRS, ids=lambda lesson: lesson.name)
def test_without_the_originals_and_a_network_one_sentence_says_what_to_put_where(
    lesson: Lesson, tmp_path: Path
) -> None:
    assert len(PAIRS) >= 4
    done = run_real(lesson, "before.py", tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    sentence = done.stderr.strip().splitlines()[-1]
    assert "missing in" in sentence
    assert str(tmp_path) in sentence


@pytest.mark.parametrize("name", ["01_first_loop", "02_warmup_schedule"])
def test_both_scripts_train_on_originals_from_a_local_folder(name: str, real_folder: Path) -> None:
    done = [run_real(find_lesson(name), script, real_folder) for script in ("before.py", "after.py")]
    assert [it.returncode for it in done] == [0, 0], done[0].stderr + done[1].stderr
    assert done[0].stdout.startswith("epoch 0: ")
    assert done[0].stdout == done[1].stdout
