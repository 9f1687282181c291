"""The three doors give the same verdict on the same file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from answered import answered, executed, solution, write_answered

from looplift.lesson import find_lesson, graded_folder
from looplift.verdict import Verdict

ANSWERS = Path(__file__).parents[1] / "answers"
CASES = [
    ("01_first_loop", "wrong_loader_not_prepared.py"),
    ("02_warmup_schedule", None),
    ("03_honest_metrics", None),
]


def _outcome(verdict: Verdict) -> list[tuple[str, str, float, str]]:
    return [(it.name, it.status, it.points, it.finding.id if it.finding else "") for it in verdict.checks]


def _by_command(path: Path, lesson: str) -> Verdict:
    done = subprocess.run(
        [sys.executable, "-m", "looplift", "check", str(path), "--json"], capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    return Verdict.from_json(done.stdout)


def _by_pytest(path: Path, folder: Path) -> Verdict:
    said = folder / "verdict.json"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(graded_folder()),
         "--submission", str(path), "--verdict", str(said)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return Verdict.from_json(said.read_text())


def _by_notebook(notebook: dict, folder: Path) -> list[tuple[str, bool]]:
    """Each graded cell: its check and whether it passed."""
    found = []
    for cell in executed(notebook, folder).cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name.startswith("check-"):
            errors = [it for it in cell.outputs if it.output_type == "error"]
            assert all(it.ename == "CheckFailed" for it in errors), errors
            assert not any("Traceback" in line for it in errors for line in it.traceback)
            found.append((name.removeprefix("check-"), not errors))
    return found


@pytest.mark.parametrize(("name", "answer"), CASES)
def test_the_command_pytest_and_the_notebook_agree(name: str, answer: str | None, tmp_path: Path) -> None:
    lesson = find_lesson(name)
    text = (ANSWERS / name / answer).read_text() if answer else solution(lesson)
    path = write_answered(lesson, text, tmp_path / "exercise.ipynb")
    command = _by_command(path, name)
    assert command.passed == (answer is None)
    assert _outcome(_by_pytest(path, tmp_path)) == _outcome(command)
    cells = _by_notebook(answered(lesson, text), tmp_path)
    assert cells == [(it.name, it.status == "pass") for it in command.checks]
    assert len(cells) >= 4


def test_check_is_safe_after_threads_have_run_in_the_kernel(tmp_path: Path) -> None:
    """A kernel that ran a multi-threaded operation cannot fork and run one again; the check must not hang."""
    lesson = find_lesson("first_loop")
    notebook = answered(lesson, solution(lesson))
    conv = "torch.nn.Conv2d(3, 64, 3)(torch.rand(16, 3, 64, 64))"
    busy = f"import torch\ntorch.set_num_threads(2)\nfor _ in range(3): {conv}\n"
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if grade_id == "given":
            cell["source"] = "".join(cell["source"]) + "\n" + busy
        if grade_id in ("launch", "see", "plain-run"):
            cell["source"] = "pass"
    passed = _by_notebook(notebook, tmp_path)
    assert len(passed) == 5 and all(ok for _, ok in passed)


def test_the_pytest_door_asks_for_a_submission() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(graded_folder())],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 4
    assert "--submission PATH" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_verdict_survives_its_json(tmp_path: Path) -> None:
    lesson = find_lesson("first_loop")
    path = write_answered(
        lesson, "def training_loop(*args):\n    raise NotImplementedError()\n", tmp_path / "e.ipynb"
    )
    verdict = _by_command(path, lesson.name)
    assert Verdict.from_json(verdict.to_json()) == verdict
    assert json.loads(verdict.to_json())["checks"][0]["finding"]["id"] == "not-written"
    assert verdict.points == 0
