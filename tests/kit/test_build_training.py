"""`looplift build --check` on what has to be run: the pair, the stub, the solution, the answers; all faults at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from cloned import Clone, clone_of, said

from looplift.build import Checked, check_lessons
from looplift.build.proof import prove
from looplift.judge import warm
from looplift.lesson import find_lesson, lessons

KEPT = ("right_as_the_story_tells.py", "wrong_gather.py")
ANSWERS = "tests/answers/01_first_loop"
BACKWARD = (
    "backward is called on the loss itself, so the Accelerator cannot scale the loss for mixed precision or gradient "
    "accumulation"
)
PREPARE = "    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)\n"


def _break_the_first(clone: Clone) -> None:
    """A fault of each kind in lesson 01."""
    lesson = clone.lesson()
    clone.change(lesson.after, PREPARE, "    model, optimizer = accelerator.prepare(model, optimizer)\n")
    clone.change(
        lesson.graded, "@points(1)", "@points(1)\ndef test_free(evidence):\n    pass\n\n\n@points(1)"
    )
    clone.rebuild(
        "            accelerator.backward(loss)\n            opt",
        "            loss.backward()\n            opt",
    )
    right = (clone.answers / "right_as_the_story_tells.py").read_text(encoding="utf-8").split("\n\n\n", 1)[1]
    wrong = right.replace("acc.backward(loss)", "loss.backward()")
    assert wrong != right
    heads = {
        "right_not_at_all.py": ("# why: it is not", wrong),
        "wrong_not_at_all.py": ("# fails: prepared\n# says: nothing\n# kind: none", right),
        "wrong_elsewhere.py": ("# fails: prepared\n# says: loss itself\n# kind: M05", wrong),
        "wrong_in_other_words.py": ("# fails: backward\n# says: something else\n# kind: M05", wrong),
        "wrong_line.py": ("# fails: backward\n# says: itself\n# where: optimizer.step()\n# kind: M05", wrong),
    }
    for name, (head, code) in heads.items():
        (clone.answers / name).write_text(f"{head}\n\n\n{code}", encoding="utf-8")


def _break_the_second(clone: Clone) -> None:
    """Files of lesson 03 that are not even Python, and cells that cannot be run."""
    lesson = clone.lesson("03")
    lesson.task.write_text("def get_dataloaders(:\n", encoding="utf-8")
    clone.change(
        lesson.exercise, "from looplift.material.pairs import", "from looplift.material.pears import"
    )


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Checked]:
    """What is found in both, by lesson."""
    warm(find_lesson("01"))  # before the fork, so that nothing is imported twice
    with pytest.MonkeyPatch.context() as patch:
        clone = clone_of(
            ["01_first_loop", "03_honest_metrics"], tmp_path_factory.mktemp("clone"), patch, KEPT.__contains__
        )
        _break_the_first(clone)
        _break_the_second(clone)
        told: list[tuple[int, int]] = []
        found = list(
            check_lessons(lessons(), hands=2, tell=lambda done, total, _: told.append((done, total)))
        )
    assert told[-1][0] == told[-1][1] == len(told) >= 20
    return {it.name: it for it in found}


def test_each_fault_of_a_lesson_is_named_in_the_order_in_which_to_mend_it(
    checked: dict[str, Checked],
) -> None:
    told = [
        it
        for it in said(checked["01_first_loop"].problems)
        if "needed" not in it and "no wrong answer" not in it
    ]
    assert told == [
        "both processes of after.py read 80 of the 80 training rows (before.py, after.py)",
        "test_free stands in no check cell (test_01_first_loop.py)",
        "the empty stub gets 1 of 11 points, at `free` (exercise.ipynb)",
        f"the model solution loses 2 of 11 points at `backward`: {BACKWARD} (line 234)"
        " (solutions/01_first_loop/exercise.py)",
        f"a right answer loses 2 of 11 points at `backward`: {BACKWARD} (line 17) ({ANSWERS}/right_not_at_all.py)",
        f"a wrong answer fails first at `backward`, not at `prepared`: {BACKWARD} (line 19)"
        f" ({ANSWERS}/wrong_elsewhere.py)",
        f"a wrong answer is not told 'something else' but: {BACKWARD} (line 19) ({ANSWERS}/wrong_in_other_words.py)",
        f"a wrong answer is shown 'loss.backward()', not 'optimizer.step()' ({ANSWERS}/wrong_line.py)",
        f"a wrong answer passes every check ({ANSWERS}/wrong_not_at_all.py)",
    ]
    assert checked["01_first_loop"].answers == 6


def test_every_problem_says_what_to_do_next(checked: dict[str, Checked]) -> None:
    problems = [problem for it in checked.values() for problem in it.problems]
    assert len(problems) >= 15
    assert [it.what for it in problems if not it.next.endswith((".", "01", "03", ".py"))] == []
    [misjudged] = [it for it in problems if it.where.endswith("wrong_line.py")]
    assert misjudged.next.endswith(f"looplift check --answer {ANSWERS}/wrong_line.py 01")


def test_a_lesson_that_cannot_be_run_hides_nothing_and_says_so_once(checked: dict[str, Checked]) -> None:
    told = said(checked["03_honest_metrics"].problems)
    assert told[:3] == [
        "task.py is not Python: invalid syntax (lessons/03_honest_metrics/task.py, line 1)",
        "the committed notebook is not what its source gives (exercise.ipynb)",
        "nothing can be judged: ModuleNotFoundError: No module named 'looplift.material.pears' (exercise.ipynb)",
    ]
    assert "5 more right answers are needed (1 of 6) (tests/answers/03_honest_metrics)" in told


def test_a_pair_that_cannot_be_run_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = clone_of(["01_first_loop"], tmp_path, monkeypatch, lambda file: False)
    lesson = clone.lesson()
    clone.change(
        lesson.after, "            accelerator.backward(loss)\n", "            raise ValueError(loss.ndim)\n"
    )
    assert prove(lesson.folder)["stopped"] == {
        "stage": "after.py fails on two processes", "why": "ValueError: 0", "where": "after.py, line 41",
    }  # fmt: skip
