"""`looplift explain`: every kind that the kit can name has a page, and what a page shows is true."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from looplift.checks.prepare import NAMES, kind
from looplift.commands import app
from looplift.inspection import inspect_source, read_text
from looplift.kinds import GROUPS, Kind, UnknownKindError, find_kind, has_page, kinds
from looplift.kinds.text import render_kind, taught
from looplift.lesson import lessons

PACKAGE = Path(__file__).resolve().parents[2] / "looplift"
# Calls whose first argument is the id of a kind.
NAMING = {"Finding", "Known", "Way", "Remark", "SubmissionError"}
ROOMS = ("checks", "submission", "classroom", "judge", "notebook")
WITH_CODE = [it for it in kinds() if it.wrong]
# Kinds whose mistake stands in the text of their example: `looplift inspect` finds it there.
IN_THE_TEXT = [
    "accelerator-outside",
    "called-before-launch",
    "device-before-launch",
    "called-with-arguments",
    "no-num-processes",
    "launcher-result",
    "launcher-inside",
    "no-accelerator",
    "second-accelerator",
    "not-a-process-group",
    "unprepared-model",
    "unprepared-optimizer",
    "unprepared-loader",
    "unprepared-scheduler",
    "prepared-model-unused",
    "prepared-loader-unused",
    "prepared-scheduler-unused",
    "prepare-got-a-list",
    "wrong-unpacking",
    "frozen-model-prepared",
    "unused-parameters",
    "around-the-wrapper",
    "attribute-on-wrapper",
    "optimizer-of-another-model",
    "manual-move",
    "hard-coded-device",
    "mixed-precision-by-hand",
    "distributed-by-hand",
    "plain-backward",
    "no-backward",
    "gathered-loss",
    "gradient-scaled",
    "gradients-erased",
    "gradients-left-over",
    "no-step-on-a-rank",
    "other-step-count",
    "closure-result",
    "loss-is-a-number",
    "unknown-name",
    "accumulation-done-twice",
    "zero-grad-first",
    "zero-grad-around-the-optimizer",
    "accumulate-never-entered",
    "accumulation-tail",
    "two-accumulate-blocks",
    "clipped-on-every-micro-step",
    "clipped-before-unscaling",
    "schedule-counted-after-prepare",
    "schedule-length",
    "schedule-multiplied",
    "per-epoch-scheduler-prepared",
    "scheduler-per-epoch",
    "scheduler-stepped-too-often",
    "scheduler-before-optimizer",
    "scheduler-never-stepped",
    "scheduler-not-multiplied",
    "scheduler-of-another-optimizer",
    "ranks-have-other-rates",
    "sharded-twice",
    "custom-sampler",
    "iterable-without-length",
    "split-differs",
    "rows-counted-twice",
    "local-metric",
    "mean-of-metrics",
    "gathered-one-of-two",
    "evaluated-on-main-only",
    "collective-on-some-ranks",
    "different-step-counts",
    "different-shapes",
    "rank-died",
    "module-keys",
    "saved-on-the-wrong-ranks",
    "log-on-every-rank",
    "no-log-folder",
    "no-tracker",
    "trackers-not-started",
]


def looplift(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "90", "NO_COLOR": "1"})


def named_by(room: str) -> Iterator[str]:
    """Ids that the code of a room gives to findings, remarks and errors."""
    for path in sorted((PACKAGE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in NAMING:
                yield from filter(None, spelled(node.args[0]))


def spelled(node: ast.expr) -> Iterator[str]:
    """The ids in an argument: a text, or one of two. Those that are put together are in `named_by_role`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*spelled(node.body), *spelled(node.orelse))


def named_by_role() -> list[str]:
    """The ids that looplift.checks.prepare puts together for each role."""
    unused = [f"prepared-{'loader' if it == 'train_loader' else it}-unused" for it in NAMES]
    return [kind(it) for it in NAMES] + unused


def test_every_kind_that_a_check_can_name_has_a_page() -> None:
    named = {*named_by("checks"), *named_by_role()}
    assert [it for it in sorted(named) if not has_page(it)] == []
    assert len(named) >= 80


def test_every_kind_that_the_rest_of_the_kit_can_name_has_a_page() -> None:
    named = {it for room in ROOMS for it in named_by(room)}
    assert [it for it in sorted(named) if not has_page(it)] == []
    assert len(named) >= 85


def test_every_kind_of_the_catalogue_has_a_page_of_its_own() -> None:
    numbers = [number for it in kinds() for number in it.numbers]
    assert sorted(numbers) == [f"M{number:02}" for number in range(1, 46)]


def test_ids_are_unique_and_spelled_alike() -> None:
    ids = [it.id for it in kinds()]
    assert len(ids) == len(set(ids)) >= 120
    assert all(it == it.lower() and "_" not in it and " " not in it for it in ids)


def test_a_page_belongs_to_a_group_and_every_group_has_some() -> None:
    assert {it.group for it in kinds()} == set(GROUPS)


def test_a_page_says_everything_in_short_sentences() -> None:
    for page in kinds():
        for text in (page.title, page.happens, page.why, page.how_to_see, page.source):
            assert text, page.id
        assert len(page.happens) < 420 and len(page.why) < 520, page.id
        assert len(page.wrong.splitlines()) <= 14 and len(page.right.splitlines()) <= 14, page.id


def test_a_lesson_that_a_page_names_exists() -> None:
    there = {it.number for it in lessons()}
    named = {number for page in kinds() for number in page.lessons}
    assert named <= there and named >= {"01", "02", "03"}


def test_only_files_have_pages_without_code() -> None:
    assert {it.group.name for it in kinds() if not it.wrong} == {"files"}
    assert len(WITH_CODE) >= 110


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda it: it.id)
def test_both_examples_are_python_and_the_right_one_is_right(page: Kind) -> None:
    compile(page.wrong, f"{page.id} wrong", "exec")
    compile(page.right, f"{page.id} right", "exec")
    assert page.wrong != page.right
    assert [it.kind for it in inspect_source(read_text("right.py", page.right)).found] == []


@pytest.mark.parametrize("id", IN_THE_TEXT)
def test_the_wrong_example_is_found_by_inspect(id: str) -> None:
    found = inspect_source(read_text("wrong.py", find_kind(id).wrong)).found
    assert id in {it.kind for it in found}


def test_most_kinds_stand_in_the_text() -> None:
    assert len(IN_THE_TEXT) == len(set(IN_THE_TEXT)) >= 70


@pytest.mark.parametrize(
    "word", ["unprepared-loader", "UNPREPARED_LOADER", "[unprepared-loader]", " unprepared loader "]
)
def test_a_kind_is_found_however_it_is_typed(word: str) -> None:
    assert find_kind(word).id == "unprepared-loader"


def test_a_kind_is_found_by_its_number() -> None:
    assert find_kind("M01").id == find_kind("m01").id == "scheduler-counted-twice"


def test_an_unknown_kind_is_answered_in_one_line_with_close_matches() -> None:
    with pytest.raises(UnknownKindError) as raised:
        find_kind("unprepard-lodr")
    assert str(raised.value).startswith(
        "No kind of mistake is called 'unprepard-lodr'. Did you mean unprepared-loader"
    )
    assert "\n" not in str(raised.value)
    assert "Did you mean" not in str(pytest.raises(UnknownKindError, find_kind, "xyzzy").value)


def test_a_page_reads_from_what_happens_to_how_to_see_it() -> None:
    text = render_kind(find_kind("sharded-twice"), width=80)
    marks = ["sharded-twice  (M21)", "Each process reads a quarter", "DistributedSampler", "wrong\n", "right\n",
             "see it", "taught in lessons 01, 02, 03", "source"]  # fmt: skip
    places = [text.index(it) for it in marks]
    assert places == sorted(places)
    prose = [line for line in text.splitlines() if not line.startswith("    ")]
    assert max(map(len, prose)) <= 80


def test_a_kind_that_no_lesson_teaches_says_so() -> None:
    assert taught(replace(find_kind("plain-backward"), lessons=())) == "not yet in the course"


def test_the_command_shows_a_page() -> None:
    shown = looplift("explain", "plain-backward")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("plain-backward\nbackward is called on the loss itself\n")
    assert "accelerator.backward(model(batch).loss)" in shown.stdout


def test_the_command_alone_lists_every_kind_by_group() -> None:
    shown = looplift("explain")
    assert shown.exit_code == 0
    assert all(f"  {it.id} " in shown.stdout for it in kinds())
    titles = [shown.stdout.index(f"{it.title}\n") for it in GROUPS]
    assert titles == sorted(titles)


def test_the_command_gives_json_of_one_page_and_of_all() -> None:
    one = json.loads(looplift("explain", "M14", "--json").stdout)
    assert (one["id"], one["group"], one["numbers"]) == ("something-not-prepared", "prepare", ["M14"])
    assert len(json.loads(looplift("explain", "--json").stdout)) == len(kinds())


def test_the_command_refuses_an_unknown_kind_in_one_line() -> None:
    shown = looplift("explain", "rows-count-twice")
    assert shown.exit_code == 2
    assert shown.stderr.startswith(
        "looplift: No kind of mistake is called 'rows-count-twice'. Did you mean rows-counted-twice"
    )
    assert shown.stderr.count("\n") == 1
