"""`looplift inspect` says nothing about code that is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspected import ANSWERS, SCRIPTS, as_in_the_notebook

from looplift.inspection import inspect_file, inspect_source, read_text
from looplift.lesson import lessons

RIGHT = sorted(ANSWERS.glob("*/right_*.py"))
SCRIPTS_RIGHT = sorted(SCRIPTS.glob("right_*.py"))
LESSONS = [it.after for it in lessons()]


def test_there_are_many_right_ones() -> None:
    assert len(RIGHT) > 30
    assert len(SCRIPTS_RIGHT) >= 7
    assert len(LESSONS) >= 3


@pytest.mark.parametrize("path", RIGHT, ids=lambda it: f"{it.parent.name[:2]} {it.stem}")
def test_a_right_answer_among_the_lessons_cells(path: Path) -> None:
    text, _ = as_in_the_notebook(path)
    reading = inspect_source(read_text(path.name, text))
    assert reading.uses == "accelerate"
    assert [(it.kind, it.where.line) for it in reading.found] == []


@pytest.mark.parametrize("path", RIGHT, ids=lambda it: f"{it.parent.name[:2]} {it.stem}")
def test_a_right_answer_alone_without_its_imports(path: Path) -> None:
    reading = inspect_file(path)
    assert reading.uses == "accelerate"
    assert [(it.kind, it.where.line) for it in reading.found] == []


@pytest.mark.parametrize("path", SCRIPTS_RIGHT, ids=lambda it: it.stem)
def test_a_right_script_of_another_make(path: Path) -> None:
    reading = inspect_file(path)
    assert reading.uses == "accelerate"
    assert [(it.kind, it.where.line) for it in reading.found] == []


@pytest.mark.parametrize("path", LESSONS, ids=lambda it: it.parent.name)
def test_the_after_of_a_lesson(path: Path) -> None:
    reading = inspect_file(path)
    assert reading.uses == "accelerate"
    assert [it for it in reading.found if it.level == "wrong"] == []


def test_a_sum_along_each_row_is_no_count() -> None:
    text = (
        "accelerator = Accelerator()\n"
        "model, loader = accelerator.prepare(torch.nn.Linear(4, 1), DataLoader(rows))\n"
        "for batch in loader:\n"
        "    each = model(batch['x']).log_softmax(-1).sum(dim=-1)\n"
        "    each = accelerator.gather_for_metrics(each)\n"
        "    accelerator.print(each.mean())\n"
    )
    assert inspect_source(read_text("rows.py", text)).found == ()


def test_a_model_that_is_prepared_under_a_condition_is_not_judged() -> None:
    text = (
        "class Fit:\n"
        "    def __init__(self, share, rows):\n"
        "        self.accelerator = Accelerator()\n"
        "        self.model = torch.nn.Linear(4, 1)\n"
        "        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)\n"
        "        self.loader = self.accelerator.prepare(DataLoader(rows))\n"
        "        if share:\n"
        "            self.model, self.optimizer = self.accelerator.prepare(self.model, self.optimizer)\n"
        "    def fit(self):\n"
        "        for batch in self.loader:\n"
        "            self.optimizer.zero_grad()\n"
        "            self.accelerator.backward(self.model(batch).mean())\n"
        "            self.optimizer.step()\n"
        "def main(rows, share):\n"
        "    Fit(share, rows).fit()\n"
    )
    assert inspect_source(read_text("fit.py", text)).found == ()


def test_the_exercises_as_they_are_handed_out() -> None:
    readings = [inspect_file(it.exercise) for it in lessons()]
    assert len(readings) >= 3
    assert [(it.file, it.found) for it in readings if it.found] == []
