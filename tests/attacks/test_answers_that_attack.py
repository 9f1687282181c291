"""Hostile answers: none gains a point, reads what it should not, harms the next student or leaves a process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena import LESSON, PLAIN, Arena, Attack, Judged, attacks, honest, left_over, limits_are_shorter

from looplift.judge import load_graded, warm
from looplift.verdict.page import verdict_html
from looplift.verdict.text import render

PLAIN_POINTS = 2.0  # what the plain loop earns when it is handed in as it is
ATTACKS = attacks(PLAIN_POINTS)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    warm(LESSON)
    with Arena(tmp_path_factory.mktemp("arena"), load_graded(LESSON)) as arena:
        yield arena


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    """What came of each attack, filled as they are judged."""
    return {}


def test_there_are_many_attacks_and_limits_are_only_shortened() -> None:
    assert len(ATTACKS) >= 60
    assert limits_are_shorter()


def test_what_the_loops_earn_without_a_trick(arena: Arena) -> None:
    assert arena.judge("plain", PLAIN).verdict.points == PLAIN_POINTS
    right = arena.judge("right", honest()).verdict
    assert (right.points, right.possible, right.flag) == (10.0, 10.0, "")


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_gains_nothing_and_is_recorded(
    arena: Arena, judged: dict[str, Judged], attack: Attack
) -> None:
    judged[attack.name] = it = arena.judge(attack.name, attack.text)
    assert it.verdict.points <= attack.cap, it.verdict.sentence
    assert it.verdict.possible == 10.0
    assert any(said in it.verdict.flag for said in attack.flag.split(" | "))
    assert it.verdict.flag or not attack.flag
    assert it.verdict.points == 10.0 or it.verdict.sentence
    assert not re.search(rb'"text": "(b.)?(found|written|locked|open) ', it.left)
    assert left_over() == {}


def test_nothing_that_is_not_theirs_was_read(arena: Arena, judged: dict[str, Judged]) -> None:
    assert len(judged) == len(ATTACKS)
    canaries = arena.canaries()
    assert len(canaries) == 6
    for name, it in judged.items():
        for canary in canaries:
            assert canary not in it.left, name
            assert canary not in it.verdict.to_json().encode(), name


def test_nothing_was_written_outside(arena: Arena, judged: dict[str, Judged]) -> None:
    assert len(judged) == len(ATTACKS)
    assert len([it for it in arena.course.rglob("*") if it.is_file()]) == 5
    for it in arena.course.rglob("*"):
        if it.is_file():
            assert re.fullmatch("canary-[0-9a-f]{32}", it.read_text())


def test_no_verdict_moves_a_cursor_or_runs_a_script(judged: dict[str, Judged]) -> None:
    assert len(judged) == len(ATTACKS)
    for name, it in judged.items():
        for style in ("unicode", "ascii"):
            text = render(it.verdict, style=style)  # type: ignore[arg-type]
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), name
        page = verdict_html(it.verdict)
        assert not re.search(
            r"<(script|img|iframe|svg|a)\b|javascript:[^\s<]*\)\s*\"", page, re.IGNORECASE
        ), name
        assert len(it.verdict.to_json()) < 100_000, name


def test_the_next_student_gets_all_points(arena: Arena, judged: dict[str, Judged]) -> None:
    assert len(judged) == len(ATTACKS)
    right = arena.judge("after all of them", honest()).verdict
    assert (right.points, right.flag) == (10.0, "")
    assert not list(Path("/dev/shm").glob("fill-*"))
