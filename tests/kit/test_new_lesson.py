"""`looplift new-lesson`: from nothing to a lesson that runs, from what is missing to green."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cloned import ROOT, Clone, clone_of, said
from typer.testing import CliRunner, Result

from looplift.build import build_lesson, check_lesson, check_lessons, stale
from looplift.build.newlesson import begin_lesson
from looplift.build.unwritten import MARK
from looplift.commands import app
from looplift.fault import KitError
from looplift.judge import warm
from looplift.lesson import Lesson, LessonError, lessons, shelf

FIRST = "01_first_loop"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    return clone_of([FIRST], tmp_path, monkeypatch, lambda file: True)


def looplift(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "90", "NO_COLOR": "1"})


def files_of(clone: Clone) -> set[str]:
    """Every file that is not the first lesson's."""
    paths = [it for part in ("lessons", "solutions", "tests") for it in (clone.folder / part).rglob("*")]
    return {
        str(it.relative_to(clone.folder))
        for it in paths
        if it.is_file() and FIRST not in str(it) and "__pycache__" not in str(it)
    }


def test_a_lesson_is_begun_with_the_next_free_number(clone: Clone) -> None:
    done = looplift("new-lesson", "gathered_loss")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "02_gathered_loss is begun:"
    assert "looplift build --check 02" in done.stdout
    assert files_of(clone) == {
        "lessons/02_gathered_loss/task.py",
        "lessons/02_gathered_loss/before.py",
        "lessons/02_gathered_loss/after.py",
        "lessons/02_gathered_loss/diff.toml",
        "lessons/02_gathered_loss/exercise.ipynb",
        "solutions/02_gathered_loss/exercise.py",
        "tests/graded/test_02_gathered_loss.py",
        "tests/answers/02_gathered_loss/right_as_the_story_tells.py",
        "tests/answers/02_gathered_loss/wrong_unprepared_loader.py",
    }
    assert {it.name for it in lessons()} == {FIRST, "02_gathered_loss"}
    told = json.loads(looplift("new-lesson", "another", "--json").stdout)
    assert (told["lesson"], len(told["files"])) == ("03_another", 9)


def test_the_scaffold_runs_and_only_what_its_author_must_write_is_missing(clone: Clone) -> None:
    lesson = begin_lesson("gathered_loss").lesson
    warm(lesson)
    [checked] = check_lessons([lesson], hands=2)
    assert checked.answers == 2
    told = said(checked.problems)
    unwritten = [it for it in told if it.startswith("this is still the scaffold's: ")]
    assert len(unwritten) == 14
    assert unwritten[0] == (
        "this is still the scaffold's: what the two programs train, in one line. "
        "(lessons/02_gathered_loss/before.py, line 1)"
    )
    assert "(solutions/02_gathered_loss/exercise.py, line 23)" in unwritten[5]
    assert told[14:] == [
        "5 more right answers are needed (1 of 6) (tests/answers/02_gathered_loss)",
        "11 more wrong answers are needed (1 of 12) (tests/answers/02_gathered_loss)",
        "no wrong answer fails first at `one_training` (tests/answers/02_gathered_loss)",
    ]


def test_a_scaffold_that_is_filled_in_is_green(clone: Clone) -> None:
    lesson = begin_lesson("once_more").lesson
    fill_in(clone, lesson)
    assert stale(lesson)
    assert looplift("build", "02").exit_code == 0
    assert said(check_lesson(Lesson(lesson.name, lesson.folder, lesson.graded))) == []
    assert MARK not in build_lesson(lesson)
    done = looplift("build", "--check", "--fast", "02")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "02_once_more: no problem"


def fill_in(clone: Clone, lesson: Lesson) -> None:
    """Write what an author would: here, lesson 01 under another name."""
    for part in ("lessons", "solutions", "tests/answers"):
        for path in (clone.folder / part / FIRST).iterdir():
            if path.is_file() and path.suffix != ".ipynb":
                text = path.read_text(encoding="utf-8").replace(FIRST, lesson.name)
                (clone.folder / part / lesson.name / path.name).write_text(text, encoding="utf-8")
    (clone.folder / "tests" / "answers" / lesson.name / "wrong_unprepared_loader.py").unlink()
    shutil.copy(clone.folder / "tests" / "graded" / f"test_{FIRST}.py", lesson.graded)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Gathered Loss!", "such as gathered_loss"),
        ("13_gathered", "such as gathered"),
        ("../evil", "such as evil"),
        ("", "such as gathered_loss"),
        ("a" * 31, "at most 30"),
    ],
)
def test_a_name_that_is_none_is_refused_with_one_that_is(clone: Clone, name: str, hint: str) -> None:
    done = looplift("new-lesson", "--", name)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"looplift: {name!r} is no name for a lesson: ")
    assert hint in done.stderr
    assert done.stderr.count("\n") == 1
    assert files_of(clone) == set()


def test_a_name_that_is_taken_is_refused(clone: Clone) -> None:
    with pytest.raises(KitError, match="there is a lesson 01_first_loop already"):
        begin_lesson("first_loop")


def test_nothing_is_overwritten(clone: Clone) -> None:
    path = clone.folder / "solutions" / "02_gathered_loss" / "exercise.py"
    path.parent.mkdir()
    path.write_text("mine\n", encoding="utf-8")
    done = looplift("new-lesson", "gathered_loss")
    assert (done.exit_code, path.read_text(encoding="utf-8")) == (2, "mine\n")
    assert "solutions/02_gathered_loss/exercise.py is there already, so nothing was written" in done.stderr
    assert files_of(clone) == {"solutions/02_gathered_loss/exercise.py"}


def test_an_installed_package_says_that_a_clone_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "installed", lambda: True)
    with pytest.raises(LessonError):
        shelf.solutions_folder()
    done = looplift("new-lesson", "gathered_loss")
    assert done.exit_code == 2
    assert done.stderr == (
        "looplift: a lesson is written in a clone of looplift; the installed package holds no sources.\n"
    )


# looplift build --check, as it is typed


def test_the_check_prints_each_problem_with_its_place_and_what_to_do(clone: Clone) -> None:
    (clone.answers / "right_extra.py").write_text("x = 1\n", encoding="utf-8")
    done = looplift("build", "--check", "--fast", "01")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[:4] == [
        "01_first_loop: 1 problem",
        "  1  an answer has no `# why:`",
        "     where  tests/answers/01_first_loop/right_extra.py",
        "     next   Begin the file with a line `# why: ...`, before its code.",
    ]
    assert done.stdout.splitlines()[4].startswith("1 lesson checked, nothing was run, 1 problem (")


def test_the_check_gives_json(clone: Clone) -> None:
    (clone.lesson().folder / "task.py").unlink()
    done = looplift("build", "--check", "--fast", "--json", "01")
    assert done.exit_code == 1
    assert json.loads(done.stdout) == [
        {
            "name": FIRST,
            "answers": 0,
            "problems": [
                {
                    "lesson": FIRST,
                    "what": "task.py is missing",
                    "where": f"lessons/{FIRST}/task.py",
                    "next": "Write it.",
                }
            ],
        }
    ]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--check", "99"], "No lesson is called '99'"),
        (["--fast"], "--fast and --json go with --check."),
        (["--json", "01"], "--fast and --json go with --check."),
    ],
)
def test_what_cannot_be_checked_is_one_line(clone: Clone, words: list[str], why: str) -> None:
    done = looplift("build", *words)
    assert done.exit_code == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_scaffold_is_no_lesson_of_the_course() -> None:
    assert (ROOT / "looplift" / "build" / "scaffold").is_dir()
    assert [it.name for it in lessons() if "scaffold" in it.name] == []
