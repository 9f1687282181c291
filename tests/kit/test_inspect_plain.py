"""`looplift inspect` lists what a plain PyTorch script would change to run with Accelerate."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from inspected import SCRIPTS, found, marked

from looplift.inspection import inspect_file
from looplift.kinds import has_page
from looplift.lesson import lessons

PLAIN = sorted(SCRIPTS.glob("plain_*.py"))
BEFORE = [it.before for it in lessons()]
ALWAYS = {"no-accelerator", "manual-move", "plain-backward", "unprepared-model", "unprepared-optimizer",
          "unprepared-loader", "printed-by-every-rank"}  # fmt: skip


@pytest.mark.parametrize("path", PLAIN, ids=lambda it: it.stem)
def test_a_plain_script_changes_just_the_lines_that_are_marked(path: Path) -> None:
    reading = inspect_file(path)
    assert reading.uses == "plain"
    assert {it.level for it in reading.found} == {"change"}
    assert found(reading) == marked(path)
    assert len(marked(path)) >= 8


def test_there_are_plain_scripts_of_several_makes() -> None:
    assert [it.stem for it in PLAIN] == ["plain_by_hand", "plain_class"]


@pytest.mark.parametrize("path", BEFORE[:3], ids=lambda it: it.parent.name)
def test_the_before_of_a_lesson_lists_its_changes(path: Path) -> None:
    reading = inspect_file(path)
    assert reading.uses == "plain"
    kinds = Counter(it.kind for it in reading.found)
    assert set(kinds) >= ALWAYS
    assert kinds["no-accelerator"] == kinds["plain-backward"] == kinds["unprepared-model"] == 1
    assert all(has_page(it) for it in kinds)


def test_the_changes_of_the_first_lesson_stand_on_their_lines() -> None:
    (path,) = [it for it in BEFORE if it.parent.name == "01_first_loop"]
    lines = {it.where.source: it.kind for it in inspect_file(path).found}
    assert lines["loss.backward()"] == "plain-backward"
    assert lines["model.to(device)"] == "manual-move"
    assert lines['images = batch["image"].to(device)'] == "manual-move"
    assert lines["model = make_model(real)"] == "unprepared-model"
    assert lines['device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'] == "no-accelerator"


def test_prepare_is_written_out_with_the_scripts_own_names() -> None:
    (path,) = [it for it in BEFORE if it.parent.name == "02_warmup_schedule"]
    (said,) = {it.next for it in inspect_file(path).found if it.kind.startswith("unprepared-")}
    names = "model, optimizer, train_loader, lr_scheduler"
    assert said == f"{names} = accelerator.prepare({names})"


def test_evaluation_that_has_to_be_gathered_is_pointed_at() -> None:
    (path,) = [it for it in BEFORE if it.parent.name == "03_honest_metrics"]
    (metric,) = [it for it in inspect_file(path).found if it.kind == "local-metric"]
    assert metric.where.source == "for batch in eval_loader:"
    assert "gather_for_metrics" in metric.next
