"""Lesson 12: a pair whose before.py is a program for several processes, and what a lesson may say in its header."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cloned import Clone, clone_of, said

from looplift.build.pair import check_pair
from looplift.build.proof import both_launched, check_proof
from looplift.diff import diff_programs
from looplift.diff.notes import change_blocks, lesson_notes, note_problems
from looplift.lesson import Lesson, find_lesson


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    return clone_of(["12_capstone"], tmp_path, monkeypatch, lambda file: False)


def test_after_is_half_as_long() -> None:
    lesson = find_lesson("12")
    before, after = (path.read_text(encoding="utf-8").count("\n") for path in (lesson.before, lesson.after))
    assert before >= 130
    assert after <= 0.55 * before


def test_only_a_header_that_says_so_has_before_launched() -> None:
    assert both_launched(find_lesson("12"))
    assert not both_launched(find_lesson("07"))


def test_another_order_of_rows_on_two_processes_is_noticed(clone: Clone) -> None:
    lesson = clone.lesson("12")
    clone.change(lesson.before, "shuffle=True, seed=seed)", "shuffle=True, seed=seed + processes - 1)")
    [apart] = [
        found[1]
        for it in said(check_proof(lesson))
        if (found := re.match("on two processes after.py ends (.+) away from before.py ", it))
    ]
    assert float(apart) > 1e-3


def test_a_before_that_shares_nothing_out_is_noticed(clone: Clone) -> None:
    lesson = clone.lesson("12")
    clone.change(
        lesson.before,
        "sampler = DistributedSampler(rows, processes, rank,",
        "sampler = DistributedSampler(rows, 1, 0,",
    )
    told = said(check_proof(lesson))
    assert any(
        it.startswith("launched on two processes, before.py does not share the rows out") for it in told
    )


def test_the_header_may_allow_more_lines_and_more_changes(clone: Clone) -> None:
    lesson = clone.lesson("12")
    assert check_pair(lesson) == []
    for word in ("longest", "most_changed"):
        text = lesson.exercise.read_text(encoding="utf-8")
        assert f'"{word}"' in text
        lesson.exercise.write_text(text.replace(f'"{word}"', f'"no_{word}"'), encoding="utf-8")
    told = said(check_pair(clone.lesson("12")))
    assert any("lines, not 40 to 90" in it for it in told)
    assert any("lines differ" in it for it in told)


def test_a_step_may_name_several_changes(tmp_path: Path) -> None:
    diff = diff_programs("a = 1\nb = 2\nc = 3\n", "b = 2\n")
    lesson = Lesson("07_made_up", tmp_path, tmp_path / "test_07.py")
    step = '[[step]]\ntitle = "Less"\nnote = "Gone."\nbefore = ["a = 1", "c = 3"]\n'
    (tmp_path / "diff.toml").write_text(step, encoding="utf-8")
    (note,) = lesson_notes(lesson, diff)
    assert note.blocks == tuple(change_blocks(diff))
    (tmp_path / "diff.toml").write_text(step.replace("c = 3", "d = 4"), encoding="utf-8")
    assert note_problems(lesson, diff)[0] == "No changed line of before holds 'd = 4' (step 'Less')."
    (tmp_path / "diff.toml").write_text(step.replace('"c = 3"', '""'), encoding="utf-8")
    assert note_problems(lesson, diff) == ["Step 1 has a key without a text."]
