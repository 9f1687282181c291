"""CONTRIBUTING.md: the vocabulary of checks is complete, and its examples are what it says they are."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from looplift import checks
from looplift.build.answers import RIGHT_AT_LEAST, WRONG_AT_LEAST, Answer
from looplift.judge import load_graded
from looplift.lesson import answers_folder, find_lesson

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
NO_CHECKS = {"Mend", "points"}  # what else looplift.checks hands out
ROW = re.compile(
    r"^\| `(?P<name>\w+)\((?P<takes>.*?)\)` \|(?P<sees>[^|]+)\|(?P<passes>[^|]+)\|(?P<fails>[^|]+)\|$", re.M
)
FILE = re.compile(r"`(\d\d_\w+/(?:right|wrong)_\w+\.py)`")
ROWS = {row["name"]: row for row in ROW.finditer(TEXT)}


def test_every_check_is_explained_and_no_other() -> None:
    public = {name for name in checks.__all__ if name not in NO_CHECKS}
    assert ROWS.keys() == public
    assert len(public) >= 10


def test_every_check_is_shown_with_what_it_takes_what_it_sees_and_an_example_each_way() -> None:
    for name, row in ROWS.items():
        takes = [it for it in inspect.signature(getattr(checks, name)).parameters if it != "processes"]
        assert [it.strip().lstrip("*") for it in row["takes"].split(",")] == takes, name
        assert all(row[part].strip() for part in ("sees", "passes", "fails")), name


def test_answers_that_are_named_as_examples_pass_and_fail_as_it_says() -> None:
    right = wrong = 0
    for name, row in ROWS.items():
        for file in FILE.findall(row["passes"]):
            assert Answer(answers_folder() / file).head.get("why"), file
            right += 1
        for file in FILE.findall(row["fails"]):
            answer = Answer(answers_folder() / file)
            tests = load_graded(find_lesson(answer.path.parent.name)).tests
            [test] = [it for it in tests if it.name == answer.head["fails"]]
            assert f"checks.{name}(" in inspect.getsource(test.run), file
            wrong += 1
    assert (right, wrong) >= (8, 9)


def test_it_asks_for_as_many_answers_as_the_check_does() -> None:
    words = {6: "six", 12: "twelve"}
    assert f"{words[RIGHT_AT_LEAST]} right and {words[WRONG_AT_LEAST]} wrong ones" in TEXT


def test_every_command_of_the_walk_is_there() -> None:
    assert re.findall(r"^looplift .*?(?=  )", TEXT, re.M) == [
        "looplift new-lesson gathered_loss",
        "looplift build --check 13",
    ]
