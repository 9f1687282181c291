"""`looplift build --check`: answers that are too few or do not say what they are, and what belongs to no lesson."""

from __future__ import annotations

from pathlib import Path

import pytest
from cloned import Clone, clone_of, said

from looplift.build import check_lesson, check_lessons
from looplift.lesson import find_lesson


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    return clone_of(["01_first_loop"], tmp_path, monkeypatch, lambda file: True)


def test_answers_that_do_not_say_what_is_expected_are_named(clone: Clone) -> None:
    clone.change(clone.answers / "right_aliases.py", "# why: ", "# because: ")
    clone.change(clone.answers / "wrong_plain_backward.py", "# fails: backward", "# fails: backwards")
    clone.change(clone.answers / "wrong_cuda_by_name.py", "# kind: ", "# sort: ")
    (clone.answers / "another.py").write_text("# why: no reason\n", encoding="utf-8")
    place = "tests/answers/01_first_loop"
    assert said(clone.problems()) == [
        f"an answer is neither right nor wrong ({place}/another.py)",
        f"an answer has no `# why:` ({place}/right_aliases.py)",
        f"an answer has no `# kind:` ({place}/wrong_cuda_by_name.py)",
        f"there is no check `backwards` to fail ({place}/wrong_plain_backward.py)",
    ]


def test_too_few_answers_are_counted_and_idle_checks_named(clone: Clone) -> None:
    for path in clone.answers.iterdir():
        if path.name not in ("right_aliases.py", "wrong_plain_backward.py", "wrong_no_backward.py"):
            path.unlink()
    place = "(tests/answers/01_first_loop)"
    told = said(clone.problems())
    assert told[:2] == [
        f"5 more right answers are needed (1 of 6) {place}",
        f"10 more wrong answers are needed (2 of 12) {place}",
    ]
    assert set(told[2:]) <= {
        f"no wrong answer fails first at `{name}` {place}"
        for name in ("one_accelerator", "no_manual_moves", "prepared", "one_training")
    }
    assert len(told) >= 5


# what belongs to no lesson


def test_what_belongs_to_no_lesson_is_named_when_the_whole_course_is_checked(clone: Clone) -> None:
    (clone.folder / "solutions" / "02_Gone").mkdir()
    (clone.folder / "README.md").write_text(
        "# Course\n\n[here](#cours) and [there](missing.md) and <http://nowhere>\n", encoding="utf-8"
    )
    [course, lesson] = check_lessons([clone.lesson()], training=False, whole=True, hands=2)
    assert (course.name, lesson.name, lesson.problems) == ("course", "01_first_loop", ())
    assert said(course.problems) == [
        "a folder belongs to no lesson (solutions/02_Gone)",
        "README.md has no heading for the link to '#cours' (README.md, line 3)",
        "the link to 'missing.md' is dead (README.md, line 3)",
        "'http://nowhere' is no address (README.md, line 3)",
    ]


def test_the_lessons_of_the_course_are_checked_from_their_files_alone() -> None:
    assert said(check_lesson(find_lesson("02"))) == []
