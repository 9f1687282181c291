"""`looplift build --check`: what it says of a lesson that does not hold together; nothing is run here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cloned import Clone, clone_of, said

from looplift.build import Problem, instructor_notebook

NO_NOTEBOOK = [
    "the committed notebook is not what its source gives (exercise.ipynb)",
    "exercise.ipynb is not a notebook (exercise.ipynb)",
]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    return clone_of(["01_first_loop"], tmp_path, monkeypatch, lambda file: True)


def test_a_whole_copy_has_no_problem(clone: Clone) -> None:
    assert said(clone.problems()) == []


def test_a_problem_says_lesson_what_where_and_what_next() -> None:
    problem = Problem("01_first_loop", "a cell has no id", "exercise.ipynb, cell 3", "Run `looplift build`.")
    assert str(problem) == "01_first_loop: a cell has no id (exercise.ipynb, cell 3). Run `looplift build`."


# files


@pytest.mark.parametrize("name", ["before.py", "after.py", "task.py", "exercise.ipynb"])
def test_a_missing_file_is_named_once(clone: Clone, name: str) -> None:
    (clone.lesson().folder / name).unlink()
    assert said(clone.problems()) == [f"{name} is missing (lessons/01_first_loop/{name})"]


def test_a_missing_graded_test_file_or_source_is_named_once(clone: Clone) -> None:
    clone.lesson().graded.unlink()
    clone.source.unlink()
    assert said(clone.problems()) == [
        "exercise.py is missing (solutions/01_first_loop/exercise.py)",
        "test_01_first_loop.py is missing (tests/graded/test_01_first_loop.py)",
    ]


def test_a_file_that_is_not_python_is_named_with_its_line(clone: Clone) -> None:
    for path in (clone.lesson().task, clone.lesson().graded):
        path.write_text("x = 1\ndef broken(:\n", encoding="utf-8")
    assert said(clone.problems())[:2] == [
        "task.py is not Python: invalid syntax (lessons/01_first_loop/task.py, line 2)",
        "test_01_first_loop.py is not Python: invalid syntax (tests/graded/test_01_first_loop.py, line 2)",
    ]


# the notebook


def test_a_notebook_that_was_edited_by_hand_is_out_of_date(clone: Clone) -> None:
    def edit(cells: list[dict[str, Any]]) -> None:
        cells[0]["source"] += " "

    clone.alter_notebook(edit)
    assert said(clone.problems()) == ["the committed notebook is not what its source gives (exercise.ipynb)"]


def test_a_notebook_that_is_not_json_is_one_sentence(clone: Clone) -> None:
    clone.lesson().exercise.write_text("{", encoding="utf-8")
    assert said(clone.problems()) == NO_NOTEBOOK


def test_a_notebook_without_cells_is_the_same_sentence(clone: Clone) -> None:
    clone.lesson().exercise.write_text("[]", encoding="utf-8")
    assert said(clone.problems()) == NO_NOTEBOOK


def test_a_source_that_nbgrader_refuses_is_said(clone: Clone) -> None:
    clone.change(clone.source, "    ### END SOLUTION\n", "")
    [problem] = clone.problems()
    assert problem.what == "the exercise cannot be built"
    assert "no end solution statement found" in problem.next


def test_a_header_that_is_not_yaml_is_a_problem(clone: Clone) -> None:
    clone.change(clone.source, "#     minutes: 30\n", "#     minutes: : [\n")
    told = clone.problems()
    assert [it.what for it in told] == ["the exercise cannot be built"]
    assert "header" in told[0].next


def test_committed_outputs_are_found(clone: Clone) -> None:
    def run(cells: list[dict[str, Any]]) -> None:
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        code[0]["execution_count"] = 1
        code[1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "hello"}]

    clone.alter_notebook(run)
    assert [it.what for it in clone.problems()].count("outputs are committed") == 2


def test_a_cell_without_id_is_found(clone: Clone) -> None:
    clone.alter_notebook(lambda cells: cells[4].pop("id"))
    assert "a cell has no id (exercise.ipynb, cell 5)" in said(clone.problems())


def test_the_solution_in_the_students_notebook_is_found(clone: Clone) -> None:
    clone.lesson().exercise.write_text(instructor_notebook(clone.lesson()), encoding="utf-8")
    told = [it.what for it in clone.problems()]
    assert "the solution is in the student's notebook" in told
    assert "the answer cell is no stub" in told


BROKEN_SOURCES = {
    "a code cell without a grade_id": (
        '# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, '
        '"solution": false, "task": false}',
        "# %%",
        "a code cell has no grade_id",
    ),
    "no launch cell": ('"grade_id": "launch"', '"grade_id": "start"', "there is no cell `launch`"),
    "minutes left out": ("#     minutes: 30\n", "", "`minutes` is missing or makes no sense"),
    "minutes that are a word": (
        "minutes: 30",
        "minutes: half an hour",
        "`minutes` is missing or makes no sense",
    ),
    "difficulty left out": ("#     difficulty: 1\n", "", "`difficulty` is missing or makes no sense"),
    "difficulty beyond the scale": ("difficulty: 1\n", "difficulty: 9\n", "`difficulty` is missing"),
    "title left out": ("#     title: Your first loop on two processes\n", "", "`title` is missing"),
    "another lesson's name": (
        "lesson: 01_first_loop",
        "lesson: 02_first_loop",
        "`lesson` is missing or makes",
    ),
    "two hints": (
        "<summary>Hint 3: nearly the code</summary>",
        "<summary>More</summary>",
        "hints 1, 2, not 1, 2, 3",
    ),
    "hints in another order": ("<summary>Hint 2", "<summary>Hint 4", "hints 1, 4, 3, not 1, 2, 3"),
    "a hint that is not folded": (
        "# <details>\n# <summary>Hint 1",
        "# <summary>Hint 1",
        "hints 1, 2, 3, not 1",
    ),
    "minutes far too few": (
        "minutes: 30",
        "minutes: 10",
        "the header says 10 minutes, our estimate is 28 (exercise.py, header)",
    ),
    "minutes far too many": (
        "minutes: 30",
        "minutes: 90",
        "the header says 90 minutes, our estimate is 28 (exercise.py, header)",
    ),
    "a dead link": (
        "# ## Checks\n",
        "# ## Checks\n# See [the next](../02_nothing/exercise.ipynb).\n",
        "the link to '../02_nothing/exercise.ipynb' is dead (solutions/01_first_loop/exercise.py, line",
    ),
    "a kind without a page": (
        "# ## Checks\n",
        "# ## Checks\n# See `looplift explain unprepared-lader`.\n",
        "no kind of mistake is called 'unprepared-lader' (solutions/01_first_loop/exercise.py, line",
    ),
    "other points": ('"points": 3', '"points": 4', "the cell gives 4 points, test_one_training 3"),
    "a check of nothing": (
        'check("backward", training_loop)',
        'check("backwards", training_loop)',
        "a graded cell is not one check (exercise.ipynb, cell check-backward)",
    ),
    "no words for the change": (
        "#     changes: [Accelerator, accelerator, device]\n",
        "",
        "no `changes` given",
    ),
}


@pytest.mark.parametrize(("old", "new", "sentence"), BROKEN_SOURCES.values(), ids=BROKEN_SOURCES.keys())
def test_what_a_source_lacks_is_said(clone: Clone, old: str, new: str, sentence: str) -> None:
    clone.rebuild(old, new)
    assert sentence in "\n".join(said(clone.problems()))


# graded tests


def test_a_cell_and_a_test_that_miss_each_other_are_both_named(clone: Clone) -> None:
    clone.change(clone.lesson().graded, "test_backward", "test_backwards")
    told = [it.what for it in clone.problems()]
    assert told[:2] == ["there is no graded test test_backward", "test_backwards stands in no check cell"]
    assert told.count("there is no check `backward` to fail") >= 2
    assert told[-1] == "no wrong answer fails first at `backwards`"


def test_a_graded_test_without_points_is_named(clone: Clone) -> None:
    clone.change(clone.lesson().graded, "@points(1)\n", "")
    assert [it.what for it in clone.problems()] == ["test_one_accelerator gives no points"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import nothing_of_that_name\n", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("raise SystemExit('no')\n", "SystemExit: no"),
    ],
)
def test_a_graded_test_file_that_cannot_be_imported_is_one_sentence(
    clone: Clone, text: str, why: str
) -> None:
    clone.lesson().graded.write_text(text, encoding="utf-8")
    assert said(clone.problems()) == [
        f"the graded tests cannot be imported: {why} (test_01_first_loop.py)",
    ]


# the pair


def test_a_change_that_the_lesson_does_not_teach_is_named(clone: Clone) -> None:
    clone.change(clone.lesson().after, "return model\n", "return model  # done\n")
    assert said(clone.problems()) == [
        "the pair differs in 'return model' too (before.py, line 45)",
        "the pair differs in 'return model  # done' too (after.py, line 47)",
        "the margin notes do not fit: The change at after.py, line 47 has no note: it needs one. (diff.toml)",
    ]


def test_a_note_that_explains_no_change_is_named(clone: Clone) -> None:
    clone.change(
        clone.lesson().folder / "diff.toml", 'before = "model.to(device)"', 'before = "model.cuda()"'
    )
    assert said(clone.problems()) == [
        "the margin notes do not fit: No changed line of before.py holds 'model.cuda()' (step 'Move no model'). "
        "(diff.toml)",
        "the margin notes do not fit: The change at before.py, line 26 has no note: it needs one. (diff.toml)",
    ]
