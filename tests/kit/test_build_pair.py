"""`looplift build --check` on a pair: length, and a diff that shows only what the lesson teaches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from looplift.build.pair import changed_lines, check_pair
from looplift.lesson import Lesson

BEFORE = '''"""Train by hand."""


def train(model, loader, optimizer, device):
    model.to(device)
    for batch in loader:
        batch = batch.to(device)
        loss = model(batch)
        loss.backward()
        optimizer.step()
    print("done")
'''
AFTER = '''"""Train with Accelerate."""


def train(model, loader, optimizer, device):
    model, loader, optimizer = accelerator.prepare(
        model,
        loader,
        optimizer,
    )
    # the batches come on the right device
    for batch in loader:
        loss = model(batch)
        accelerator.backward(loss)
        optimizer.step()
    print("done")
'''


def padded(text: str, more: int = 39) -> str:
    """The script with lines at its end that both scripts share; BEFORE has 11 lines of its own, AFTER 15."""
    return text + "".join(f"x{i} = {i}\n" for i in range(more))


def pair(
    folder: Path,
    before: str,
    after: str,
    words: tuple[str, ...] = ("accelerator", "device"),
    notes: bool = False,
) -> list[str]:
    """What is said about a pair of these two texts, which has no margin notes; of these only when asked for."""
    (folder / "before.py").write_text(before, encoding="utf-8")
    (folder / "after.py").write_text(after, encoding="utf-8")
    notebook = {"cells": [], "metadata": {"looplift": {"changes": list(words)}}}
    (folder / "exercise.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    lesson = Lesson("01_own", folder, folder / "test_01_own.py")
    problems = [it for it in check_pair(lesson) if notes or it.where != "diff.toml"]
    return [f"{problem.what} ({problem.where})" for problem in problems]


def test_a_good_pair_has_no_problem(tmp_path: Path) -> None:
    assert pair(tmp_path, padded(BEFORE), padded(AFTER)) == []


def test_changed_lines_are_code_only_with_their_whole_statement() -> None:
    seen = [(line.file, line.number, line.text) for line in changed_lines(BEFORE, AFTER)]
    assert ("before.py", 9, "loss.backward()") in seen
    assert ("after.py", 7, "loader,") in seen
    assert not any("Train" in text or text.startswith("#") for _, _, text in seen)
    statements = {
        line.number: line.statement for line in changed_lines(BEFORE, AFTER) if line.file == "after.py"
    }
    assert "accelerator.prepare" in statements[7]


def test_a_change_that_the_lesson_does_not_teach_is_named(tmp_path: Path) -> None:
    said = pair(tmp_path, padded(BEFORE), padded(AFTER.replace('print("done")', 'print("finished")')))
    assert said == [
        """the pair differs in 'print("done")' too (before.py, line 11)""",
        """the pair differs in 'print("finished")' too (after.py, line 15)""",
    ]


def test_a_line_that_stands_in_the_place_of_a_taught_one_needs_no_word(tmp_path: Path) -> None:
    said = pair(tmp_path, padded(BEFORE), padded(AFTER.replace("print(", "accelerator.print(")))
    assert said == []


@pytest.mark.parametrize(
    ("more", "problems"),
    [
        (28, ["39 lines, not 40 to 90 (before.py)"]),
        (29, []),
        (75, []),
        (76, ["91 lines, not 40 to 90 (after.py)"]),
    ],
)
def test_a_script_has_40_to_90_lines(tmp_path: Path, more: int, problems: list[str]) -> None:
    assert pair(tmp_path, padded(BEFORE, more), padded(AFTER, more)) == problems


def test_two_equal_scripts_teach_nothing(tmp_path: Path) -> None:
    assert pair(tmp_path, padded(BEFORE), padded(BEFORE)) == [
        "before.py and after.py do the same (before.py)"
    ]


def test_two_different_programs_are_no_pair(tmp_path: Path) -> None:
    other = "".join(f"accelerator_{i} = {i}\n" for i in range(50))
    assert pair(tmp_path, padded(BEFORE), other)[-1].endswith("lines differ (before.py, after.py)")


def test_a_script_that_is_not_python_is_left_to_the_check_of_the_files(tmp_path: Path) -> None:
    assert pair(tmp_path, padded(BEFORE), padded("def train(:\n")) == []


def test_a_pair_without_notes_is_told_to_have_some(tmp_path: Path) -> None:
    said = pair(tmp_path, padded(BEFORE), padded(AFTER), notes=True)
    assert said == [
        "the margin notes do not fit: There is no diff.toml: list the changes there, in the order of the steps, with "
        "a sentence each. (diff.toml)"
    ]
