"""Hints: three levels for each lesson, shown one at a time."""

from __future__ import annotations

from looplift.desk import hints_of, start
from looplift.desk.text import wrapped
from looplift.desk.unfolding import unfold
from looplift.lesson import find_lesson, lessons


def test_every_lesson_has_its_hints_in_order():
    for lesson in lessons():
        hints = hints_of(lesson)
        assert [(it.level, it.of) for it in hints] == [(1, 3), (2, 3), (3, 3)]
        assert all(it.title and it.text and "<" + "/details" not in it.text for it in hints)


def test_hints_come_one_level_at_a_time(tmp_path):
    desk = start(tmp_path / "course").desk
    lesson = find_lesson("01")
    assert unfold(desk, lesson, again=True).sentence == "You have seen no hint of 01 first_loop yet."
    shown = [unfold(desk, lesson) for _ in range(3)]
    assert [it.hint.level for it in shown if it.hint] == [1, 2, 3]
    assert [it.sentence for it in shown] == ["2 more to come.", "1 more to come.", "That was the last one."]
    assert unfold(desk, lesson).hint is None
    assert unfold(desk, lesson, again=True).hint == shown[2].hint
    assert desk.note(lesson).hints == 3


def test_a_hint_is_wrapped_and_its_code_is_not():
    story = "One two three four five six.\n\n- item one two three four\n  five six\n- last\n\n"
    text = story + "```python\nf(   1)\n    g()\n```"
    assert list(wrapped(text, 20)) == [
        "  One two three four",
        "  five six.",
        "",
        "  - item one two",
        "    three four five",
        "    six",
        "  - last",
        "",
        "      f(   1)",
        "          g()",
        "",
    ]
