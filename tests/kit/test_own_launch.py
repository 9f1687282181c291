"""A submission's own launch is run and judged, and all doors say the same of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from answered import answered, executed, solution, write_answered

from looplift.evidence.spies.patch import Patches
from looplift.hidden.constant import ELSEWHERE, stay_at_home, watch_copies
from looplift.judge import Case, judge_apart, warm
from looplift.lesson import Lesson, find_lesson
from looplift.submission import read_submission
from looplift.verdict import Verdict

LESSON = find_lesson("notebook_launch")
LAUNCH = 'args = ("no", 42, 16)\nnotebook_launcher(training_loop, args, num_processes=2)\n'
# (launch cell, id of what is said of it, "" when nothing)
LAUNCHES = [
    (LAUNCH, ""),
    (LAUNCH.replace("num_processes=2", "2, use_port='29511'"), ""),
    (LAUNCH.replace("num_processes=2", "num_processes=1"), "other-process-count"),
    (LAUNCH.replace('("no", 42, 16)', '("no")'), "called-with-arguments"),
    (LAUNCH.replace("training_loop, args", 'training_loop("no", 42, 16)'), "called-before-launch"),
    ("pass\n", "not-launched"),
]


def with_launch(lesson: Lesson, launch: str) -> dict[str, Any]:
    """The lesson's notebook with the model solution and another launch."""
    notebook = answered(lesson, solution(lesson))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "launch":
            cell["source"] = launch
    return notebook


def judged(path: Path) -> Verdict:
    warm(LESSON)
    return judge_apart(Case(LESSON, lambda: read_submission(path, LESSON), path.name))


@pytest.mark.parametrize(("launch", "id"), LAUNCHES, ids=[it[1] or "right" for it in LAUNCHES])
def test_a_launch_cell_is_judged_in_a_notebook_file(launch: str, id: str, tmp_path: Path) -> None:
    path = tmp_path / "exercise.ipynb"
    path.write_text(json.dumps(with_launch(LESSON, launch)), encoding="utf-8")
    verdict = judged(path)
    assert verdict.checks[0].name == "launched"
    found = verdict.checks[0].finding
    assert (found.id if found else "") == id
    if found and launch != "pass\n":
        assert found.where is not None and "notebook_launcher" in found.where.source
    if not found:
        assert verdict.points == verdict.possible == 10


def test_a_launch_cell_that_is_left_empty_is_said_to_be_missing(tmp_path: Path) -> None:
    verdict = judged(write_answered(LESSON, solution(LESSON), tmp_path / "exercise.ipynb"))
    assert verdict.checks[0].finding is not None
    assert verdict.checks[0].finding.id == "not-launched"
    assert verdict.points == 8


@pytest.mark.parametrize("launch", [LAUNCH, LAUNCH.replace('("no", 42, 16)', "16")], ids=["right", "wrong"])
def test_the_notebook_says_the_same_as_the_file(launch: str, tmp_path: Path) -> None:
    notebook = with_launch(LESSON, launch)
    path = tmp_path / "exercise.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    cells = {}
    for cell in executed(notebook, tmp_path).cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name.startswith("check-"):
            errors = [it for it in cell.outputs if it.output_type == "error"]
            assert all(it.ename == "CheckFailed" for it in errors), errors
            cells[name.removeprefix("check-")] = not errors
    assert cells == {it.name: it.status == "pass" for it in judged(path).checks}
    assert len(cells) == 7


def test_constants_stay_where_they_are_until_they_are_moved() -> None:
    batch = torch.tensor([0, 1, 1])
    constants = stay_at_home(lambda it: it is batch, (1.5, 0.5))
    with pytest.raises(RuntimeError, match="same device"):
        constants()[batch]
    with pytest.raises(RuntimeError) as raised:
        torch.ones(2, requires_grad=True) * constants()
    assert str(raised.value) == ELSEWHERE
    device = torch.device("cpu")
    moved = [
        constants().to(device),
        constants().to(device=device),
        constants().to(torch.ones(2)),
        (constants() / constants().sum() * 2).to(device),
        torch.tensor(constants().tolist(), device=device),
        torch.nn.Module._apply(_holding(constants()), lambda it: it.to(device)).weights,
    ]
    for it in moved:
        assert type(it) is torch.Tensor
        assert torch.equal(it[batch], torch.tensor([1.5, 0.5, 0.5]))
    assert len(moved) == 6


def test_a_copy_on_a_device_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("as_tensor", "asarray"):
        monkeypatch.setattr(torch, name, getattr(torch, name))  # put back afterwards
    watch_copies(Patches())
    constants = stay_at_home(lambda _: True, (1.5, 0.5))
    assert type(torch.as_tensor(constants(), device=torch.device("cpu"))) is torch.Tensor
    assert type(torch.asarray(constants(), device=torch.device("cpu"))) is torch.Tensor
    assert type(torch.as_tensor(constants())) is not torch.Tensor


def test_constants_may_be_looked_at_and_counted_with_where_they_are() -> None:
    constants = stay_at_home(lambda _: False, (1.5, 0.5))
    assert constants().tolist() == [1.5, 0.5]
    assert constants().mean().item() == 1.0
    assert (constants() * torch.tensor([2.0, 4.0])).tolist() == [3.0, 2.0]
    assert constants().to(torch.float64).dtype == torch.float64
    assert "1.5" in repr(constants())


def _holding(tensor: torch.Tensor) -> torch.nn.Module:
    module = torch.nn.Module()
    module.register_buffer("weights", tensor)
    return module
