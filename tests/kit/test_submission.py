"""Submissions: notebooks, scripts and answers are read cell by cell, and every message can point at a line."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from answered import answered, solution

from looplift.lesson import find_lesson
from looplift.submission import (
    SubmissionError,
    read_answer,
    read_submission,
    without_magics,
)

LESSON = find_lesson("first_loop")


def _write(folder: Path, notebook: object) -> Path:
    path = folder / "exercise.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def test_a_cell_knows_its_number_and_the_text_of_its_lines(tmp_path: Path) -> None:
    path = _write(tmp_path, answered(LESSON, "def training_loop():\n    return 1\n"))
    submission = read_submission(path, LESSON)
    answer = next(cell for cell in submission.cells if cell.role == "answer")
    code = [cell for cell in LESSON.notebook["cells"] if cell["cell_type"] == "code"]
    wanted = 1 + [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in code].index("answer")
    assert answer.number == wanted
    place = submission.place(answer.name, 2)
    assert place is not None and (place.cell, place.line, place.source) == (wanted, 2, "return 1")


def test_given_cells_come_from_the_lesson_whatever_was_handed_in(tmp_path: Path) -> None:
    notebook = answered(LESSON, solution(LESSON))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "plain":
            cell["source"] = "plain_loop = None"
    submission = read_submission(_write(tmp_path, notebook), LESSON)
    given = [cell.source for cell in submission.cells if cell.role == "given"]
    assert LESSON.cell_source("plain") in given and "plain_loop = None" not in given
    assert [it.id for it in submission.remarks] == ["given-changed"]


def test_graded_cells_and_the_story_are_not_run(tmp_path: Path) -> None:
    submission = read_submission(_write(tmp_path, answered(LESSON, solution(LESSON))), LESSON)
    assert len(submission.cells) == 4
    assert not any("check(" in cell.source or "plain_loop()" in cell.source for cell in submission.cells)


def test_cells_of_the_students_own_are_kept(tmp_path: Path) -> None:
    notebook = answered(LESSON, solution(LESSON))
    notebook["cells"].append(
        {"cell_type": "code", "metadata": {}, "source": ["x = 1\n", "y = 2"], "outputs": []}
    )
    submission = read_submission(_write(tmp_path, notebook), LESSON)
    assert [cell.source for cell in submission.cells if cell.role == "own"] == ["x = 1\ny = 2"]


@pytest.mark.parametrize(
    ("source", "taken"),
    [
        ("%matplotlib inline\nx = 1", ["%matplotlib inline"]),
        ("if True:\n    !pip install torch\n    x = 1", ["!pip install torch"]),
        ("%%time\nx = 1", ["%%time"]),
        ("%%bash\nrm -rf /\n", ["%%bash"]),
        ("files = !ls\nx = 1", ["!ls"]),
        ("?print\nx = 1", ["?print"]),
        ("print?\nx = 1", ["print?"]),
        ("x = '''\n%d apples\n''' % 3", []),
        ("x = 7 \\\n% 3", []),
    ],
)
def test_magics_are_taken_out_and_reported(source: str, taken: list[str]) -> None:
    python, found = without_magics(source)
    assert [text for _, text in found] == taken
    assert python.count("\n") == source.count("\n")
    ast.parse(python)


def test_a_percent_script_points_at_lines_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "loop.py"
    path.write_text(
        "# %% [markdown]\n# # A loop\n\n# %%\nimport torch\n\n# %%\n%time\ndef training_loop():\n    pass\n"
    )
    submission = read_submission(path, LESSON)
    cell = submission.written[-1]
    place = submission.place(cell.name, 10)
    assert place is not None and (place.cell, place.line, place.source) == (None, 10, "pass")
    assert [str(it.where).split("    ")[0] for it in submission.remarks] == ["loop.py, line 8"]


def test_an_answer_is_the_answer_cell_alone(tmp_path: Path) -> None:
    path = tmp_path / "answer.py"
    path.write_text("def training_loop():\n    pass\n")
    submission = read_answer(path, LESSON)
    assert [cell.role for cell in submission.cells] == ["given", "given", "given", "answer"]


BROKEN = {
    "empty-file": b"",
    "not-a-notebook": b"not json at all",
    "no-code": json.dumps({"cells": [{"cell_type": "markdown", "source": "hello", "metadata": {}}]}).encode(),
    "too-large": b" " * 20_000_001,
}


@pytest.mark.parametrize("wanted", BROKEN)
def test_what_cannot_be_read_is_said_in_one_sentence(wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "exercise.ipynb"
    path.write_bytes(BROKEN[wanted])
    with pytest.raises(SubmissionError) as caught:
        read_submission(path, LESSON)
    assert caught.value.id == wanted
    assert "\n" not in caught.value.reason and "exercise.ipynb" in caught.value.reason


def test_json_that_is_no_notebook_is_refused(tmp_path: Path) -> None:
    for number, text in enumerate(("[]", "{}", '{"cells": 3}', '{"cells": [1]}', '"\\ud800"')):
        path = tmp_path / f"{number}.ipynb"
        path.write_text(text)
        with pytest.raises(SubmissionError) as caught:
            read_submission(path, LESSON)
        assert caught.value.id == "not-a-notebook"
    assert number == 4
