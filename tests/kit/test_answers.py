"""A few of the answers on file are judged as their heads say, and so are the stub and a head that is not kept to.

`looplift build --check`, which `make test` runs first, judges all of them; these show that the judge and what reads
the heads work where pytest runs them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from looplift.build.answers import Answer, lost, misjudged
from looplift.build.judging import check_answer, check_stub
from looplift.judge import Case, judge_apart, warm
from looplift.lesson import answers_folder, find_lesson, lessons
from looplift.submission import read_answer
from looplift.verdict import CheckResult, Verdict

# One right answer a lesson and a few wrong ones: a sentence with a line, a crash, a hang, a silent mistake.
JUDGED = (
    "01_first_loop/right_trainer_class.py",
    "01_first_loop/wrong_plain_backward.py",
    "01_first_loop/wrong_raises_on_rank_1.py",
    "01_first_loop/wrong_old_loader_looped.py",
    "02_warmup_schedule/right_unprepared_and_divided.py",
    "02_warmup_schedule/wrong_counted_after_prepare.py",
    "02_warmup_schedule/wrong_scheduler_on_main_only.py",
    "03_honest_metrics/right_every_process_evaluates_all.py",
    "03_honest_metrics/wrong_gather.py",
    "03_honest_metrics/wrong_gathered_on_main_only.py",
)


@pytest.mark.parametrize("name", JUDGED)
def test_an_answer_is_judged_as_its_head_says(name: str) -> None:
    answer = Answer(answers_folder() / name)
    assert answer.head.keys() >= ({"why"} if answer.right else {"fails", "says", "kind"})
    assert check_answer(find_lesson(answer.path.parent.name), answer) == []


def test_one_right_answer_and_some_wrong_ones_of_each_of_the_first_lessons_are_judged() -> None:
    for lesson in lessons()[:3]:
        mine = [name.split("/")[1] for name in JUDGED if name.startswith(lesson.name)]
        assert sum(name.startswith("right_") for name in mine) == 1
        assert sum(name.startswith("wrong_") for name in mine) >= 2


def test_the_unsolved_exercise_earns_nothing() -> None:
    assert check_stub(find_lesson("02")) == []


def test_a_wrong_answer_is_told_once_what_to_mend_and_with_its_line() -> None:
    lesson = find_lesson("01")
    warm(lesson)
    path = answers_folder() / "01_first_loop" / "wrong_plain_backward.py"
    verdict = judge_apart(Case(lesson, lambda: read_answer(path, lesson), path.name))
    assert (verdict.points, verdict.possible) == (8, 10)
    assert verdict.first is not None and verdict.first.finding is not None
    assert (verdict.first.name, verdict.first.finding.id) == ("backward", "plain-backward")
    assert verdict.first.finding.where is not None
    assert verdict.first.finding.where.source.strip() == "loss.backward()"


# what is said of a verdict that is not as the head says, without judging anything


def _verdict(*checks: CheckResult, flag: str = "") -> Verdict:
    return Verdict("01_first_loop", "x.py", checks, flag=flag)


def _answer(folder: Path, name: str, head: str) -> Answer:
    path = folder / name
    path.write_text(f"{head}\n\n\ndef training_loop():\n    pass\n", encoding="utf-8")
    return Answer(path)


PASSED = CheckResult("prepared", "prepared", 2, 2, "pass")
MENDED_WITHOUT_A_WORD = CheckResult("prepared", "prepared", 2, 0, "mend")


def test_a_right_answer_that_passes_but_is_flagged_is_misjudged(tmp_path: Path) -> None:
    answer = _answer(tmp_path, "right_a.py", "# why: it is")
    assert lost(_verdict(PASSED)) == ""
    assert misjudged(find_lesson("01"), answer, _verdict(PASSED)) == []
    [problem] = misjudged(find_lesson("01"), answer, _verdict(PASSED, flag="it replaced print"))
    assert problem.what == "a right answer is flagged: it replaced print"


def test_a_wrong_answer_that_is_told_nothing_is_misjudged(tmp_path: Path) -> None:
    answer = _answer(tmp_path, "wrong_a.py", "# fails: prepared\n# says: x\n# kind: M1")
    [problem] = misjudged(find_lesson("01"), answer, _verdict(MENDED_WITHOUT_A_WORD))
    assert problem.what == "a wrong answer fails at `prepared` and is told nothing"
    [problem] = misjudged(find_lesson("01"), answer, _verdict(replace(PASSED, points=2)))
    assert problem.what == "a wrong answer passes every check"


def test_a_head_ends_where_the_code_begins(tmp_path: Path) -> None:
    answer = _answer(tmp_path, "wrong_a.py", "# fails: prepared\n# says: a: b\nx = 1\n# kind: M1")
    assert answer.head == {"fails": "prepared", "says": "a: b"}
