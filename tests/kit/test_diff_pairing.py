"""Lines stand beside the lines they became, and the words that differ are known."""

import pytest

from looplift.diff import Span, diff_lesson, diff_programs
from looplift.diff.pairing import pair_lines
from looplift.diff.words import changed_words, likeness
from looplift.lesson import Lesson, LessonError, lessons


def kinds(before: str, after: str) -> list[str]:
    return [row.kind for row in diff_programs(before, after).rows]


def words(line: str, spans: tuple[Span, ...]) -> list[str]:
    return [line[start:end] for start, end in spans]


def test_equal_programs_have_only_same_rows():
    diff = diff_programs("a = 1\nb = 2\n", "a = 1\nb = 2\n")
    assert [row.kind for row in diff.rows] == ["same", "same"]
    assert not diff.differs
    assert diff.summary == "the two programs are equal"


def test_empty_programs_have_no_rows():
    assert diff_programs("", "").rows == ()


def test_a_line_against_nothing_is_added_or_removed():
    assert kinds("", "a = 1\n") == ["added"]
    assert kinds("a = 1\n", "") == ["removed"]


def test_a_row_has_the_numbers_of_both_programs():
    rows = diff_programs("import torch\nx = 1\n", "import torch\nimport accelerate\nx = 1\n").rows
    numbers = [(row.left and row.left.number, row.right and row.right.number) for row in rows]
    assert numbers == [(1, 1), (None, 2), (2, 3)]


def test_a_backward_stands_beside_the_backward_it_became():
    before = "        loss.backward()\n        optimizer.step()\n"
    after = "        accelerator.backward(loss)\n        optimizer.step()\n"
    first, second = diff_programs(before, after).rows
    assert (first.kind, second.kind) == ("changed", "same")
    assert first.left and first.right
    assert words(first.left.text, first.left.marks) == ["loss"]
    assert words(first.right.text, first.right.marks) == ["accelerator", "loss"]


def test_in_a_block_that_differs_like_lines_are_paired_and_others_are_not():
    before = ["model.to(device)", 'print(f"loss {loss}")']
    after = ["scheduler = make_scheduler(optimizer)", 'accelerator.print(f"loss {loss}")']
    rows = pair_lines(before, after)
    assert [row.kind for row in rows] == ["removed", "added", "changed"]
    assert rows[2].left and rows[2].right
    assert (rows[2].left.number, rows[2].right.number) == (2, 2)


def test_blank_lines_do_not_pull_unlike_lines_together():
    before = ["a = first()", "", "return a"]
    after = ["", "print(1)", "", "a = first()", "", "return a"]
    assert [row.kind for row in pair_lines(before, after)] == [
        "added",
        "added",
        "added",
        "same",
        "same",
        "same",
    ]


def test_a_comment_never_stands_beside_code():
    assert likeness("# loss.backward()", "loss.backward()") == 0.0
    assert kinds("# model.train()\n", "model.train()\n") == ["removed", "added"]


def test_likeness_runs_from_nothing_in_common_to_equal():
    assert likeness("", "x = 1") == 0.0
    assert likeness("alpha", "beta") == 0.0
    assert likeness("    x = 1", "x = 1") == 1.0
    assert 0.5 < likeness("loss.backward()", "accelerator.backward(loss)") < 1.0


def test_a_change_of_indentation_marks_the_indentation():
    assert changed_words("x = 1", "    x = 1") == ((), (Span(0, 4),))


def test_changed_words_that_stand_together_are_one_mark_without_blanks_at_its_ends():
    gone, come = changed_words("on one device.", "on as many as there are.")
    assert words("on one device.", gone) == ["one device"]
    assert words("on as many as there are.", come) == ["as many as there are"]


def test_lines_are_numbered_as_editors_do():
    diff = diff_programs("a\r\n\tb\x0cc\r\n", "a\n    b\x0cc\n")
    assert [(row.kind, row.left and row.left.text) for row in diff.rows] == [
        ("same", "a"),
        ("same", "    b\x0cc"),
    ]


def test_the_summary_counts_each_kind():
    diff = diff_programs("a = 1\nloss.backward()\n", "accelerator.backward(loss)\nz = later()\n")
    assert diff.summary == "1 line changed, 1 removed, 1 added"


def test_every_lesson_has_a_diff_that_holds_every_line_once():
    compared = 0
    for lesson in lessons():
        diff = diff_lesson(lesson)
        assert [line.text for line in diff.left] == lesson.before.read_text(encoding="utf-8").splitlines()
        assert [line.text for line in diff.right] == lesson.after.read_text(encoding="utf-8").splitlines()
        assert [line.number for line in diff.right] == list(range(1, len(diff.right) + 1))
        assert diff.differs
        compared += 1
    assert compared == len(lessons()) >= 3


def test_a_lesson_without_a_program_says_which_is_missing(tmp_path):
    lesson = Lesson("07_made_up", tmp_path, tmp_path / "test_07.py")
    (tmp_path / "before.py").write_text("a = 1\n")
    with pytest.raises(LessonError, match=r"07_made_up has no after\.py in .*needs before\.py and after\.py"):
        diff_lesson(lesson)
    (tmp_path / "after.py").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(LessonError, match=r"after\.py cannot be read .*UTF-8"):
        diff_lesson(lesson)


def test_a_lesson_diff_is_titled_and_its_columns_are_named(tmp_path):
    for name in ("before.py", "after.py"):
        (tmp_path / name).write_text("a = 1\n")
    diff = diff_lesson(Lesson("07_made_up", tmp_path, tmp_path / "test_07.py"))
    assert (diff.title, diff.left_name, diff.right_name) == ("07 made_up", "before.py", "after.py")
