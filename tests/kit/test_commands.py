"""What the commands of a course end with: exit code 0, 1 or 2, JSON that parses, files, one-line errors.

Help, screens and the errors of wrong words are in test_everywhere.py, the student's commands in test_desk_*.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from answered import solution, write_answered
from classroom_cases import LESSON, hand_in, notebook, released_course, scores

import looplift
from looplift.lesson import find_lesson, lessons
from looplift.verdict import Verdict

ANSWERS = Path(__file__).parents[1] / "answers" / LESSON
WITHOUT_FORK = "import os, sys\ndel os.fork\nfrom looplift.commands import main\nmain()\n"


def run(
    folder: Path, *words: str, program: tuple[str, ...] = ("-m", "looplift")
) -> subprocess.CompletedProcess[str]:
    """A command as a person types it, in a folder, on a terminal of 120 columns."""
    env = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, *program, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=300
    )


def said_in_one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The line of a command that cannot run; it is the only one, and the exit code is 2."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("looplift: ")
    return done.stderr.removeprefix("looplift: ").strip()


# looplift, list


def test_the_version_is_the_package_s(tmp_path: Path) -> None:
    assert run(tmp_path, "--version").stdout == f"looplift {looplift.__version__}\n"


def test_help_names_every_command(tmp_path: Path) -> None:
    done = run(tmp_path, "--help")
    assert done.returncode == 0
    for name in ("list", "check", "diff", "build", "course", "grade"):
        assert f"  {name} " in done.stdout, name


def test_an_unknown_command_ends_with_2(tmp_path: Path) -> None:
    done = run(tmp_path, "chekc")
    assert done.returncode == 2
    assert "No such command" in done.stderr
    assert "Traceback" not in done.stderr


def test_list_tells_what_each_lesson_takes_and_teaches(tmp_path: Path) -> None:
    done = run(tmp_path, "list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)
    assert [row["lesson"] for row in rows] == [it.name for it in lessons()]
    for row in rows:
        assert row["title"] and row["teaches"]
        assert 10 <= row["minutes"] <= 180
        assert 1 <= row["difficulty"] <= 5
    assert len(rows) >= 3


# check


def test_a_right_exercise_ends_with_0_and_its_json_is_the_verdict(tmp_path: Path) -> None:
    write_answered(find_lesson(LESSON), solution(find_lesson(LESSON)), tmp_path / "exercise.ipynb")
    done = run(tmp_path, "check", "exercise.ipynb", "--json")
    assert done.returncode == 0, done.stderr
    verdict = Verdict.from_json(done.stdout)
    assert (verdict.lesson, verdict.submission) == (LESSON, "exercise.ipynb")
    assert (verdict.points, verdict.possible, verdict.passed) == (10, 10, True)
    assert [it.status for it in verdict.checks] == ["pass"] * 5


def test_a_wrong_answer_ends_with_1_and_says_what_to_mend(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(
        (ANSWERS / "wrong_loader_not_prepared.py").read_text(), encoding="utf-8"
    )
    done = run(tmp_path, "check", "--answer", "loop.py", "first_loop")
    assert done.returncode == 1
    assert done.stdout.split("\n")[0].split() == ["01", "first_loop", "5", "of", "10", "points"]
    assert "  MEND  0/2  model, optimizer and loader go through prepare\n" in done.stdout
    assert "saw       the train loader was not passed to prepare" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_broken_notebook_ends_with_1_and_is_flagged(tmp_path: Path) -> None:
    (tmp_path / "exercise.ipynb").write_text("not JSON", encoding="utf-8")
    done = run(tmp_path, "check", "exercise.ipynb", "--lesson", "01", "--json")
    assert done.returncode == 1, done.stderr
    verdict = Verdict.from_json(done.stdout)
    assert (verdict.points, verdict.possible) == (0, 10)
    assert "exercise.ipynb is not a notebook" in verdict.flag
    assert "Traceback" not in done.stderr


def test_a_notebook_that_does_not_tell_its_lesson_is_asked_for_it(tmp_path: Path) -> None:
    (tmp_path / "mine.ipynb").write_text('{"cells": []}', encoding="utf-8")
    said = said_in_one_line(run(tmp_path, "check", "mine.ipynb"))
    assert said.startswith("I cannot tell which lesson mine.ipynb answers: add --lesson NAME")


def test_without_fork_check_says_where_it_runs(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(solution(find_lesson(LESSON)), encoding="utf-8")
    said = said_in_one_line(run(tmp_path, "check", "--answer", "loop.py", "01", program=("-c", WITHOUT_FORK)))
    assert said == (
        "looplift runs training in forked processes and this system has no fork: use Linux, macOS or WSL."
    )


def test_without_fork_reading_still_works(tmp_path: Path) -> None:
    for words in (("list",), ("diff", "01"), ("diff", "01", "--html", "page.html")):
        done = run(tmp_path, *words, program=("-c", WITHOUT_FORK))
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").is_file()


# diff


def test_diff_shows_both_programs_side_by_side(tmp_path: Path) -> None:
    done = run(tmp_path, "diff", "first_loop")
    assert (done.returncode, done.stderr) == (0, "")
    assert "before.py" in done.stdout and "after.py" in done.stdout
    assert "accelerator.backward(loss)" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120


def test_diff_writes_one_page_that_needs_nothing_else(tmp_path: Path) -> None:
    done = run(tmp_path, "diff", "1", "--html", "page.html")
    assert (done.returncode, done.stdout) == (0, "Wrote page.html\n")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "accelerator" in page and "<style" in page
    assert "http://" not in page and "<link" not in page and "src=" not in page


# build


def test_build_finds_no_problem_in_the_course(tmp_path: Path) -> None:
    done = run(
        tmp_path, "build", "--check", "--fast"
    )  # what runs training is checked once, by `make test` itself
    assert done.returncode == 0, done.stdout
    assert f"{len(lessons())} lessons checked, nothing was run, no problem" in done.stdout


# course, grade


def test_course_makes_an_nbgrader_course_of_the_lessons_asked_for(tmp_path: Path) -> None:
    done = run(tmp_path, "course", "term", "--lesson", "02")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("Next, in that folder: nbgrader generate_assignment 02_warmup_schedule\n")
    assert [it.name for it in (tmp_path / "term" / "source").iterdir()] == ["02_warmup_schedule"]
    assert (tmp_path / "term" / "nbgrader_config.py").is_file()
    again = run(tmp_path, "course", "term", "--lesson", "02")
    assert again.returncode == 0 and "added" not in again.stdout


def test_course_leaves_a_folder_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("words")
    said = said_in_one_line(run(tmp_path, "course", "full"))
    assert said.startswith("full is not empty and is not a course")
    assert [it.name for it in (tmp_path / "full").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_grade_wants_a_course(folder: str, tmp_path: Path) -> None:
    said = said_in_one_line(run(tmp_path, "grade", folder))
    assert said == f"{folder} is not a looplift course: make one with `looplift course {folder}`."
    assert list(tmp_path.iterdir()) == []


def test_grade_ends_with_1_when_a_person_must_look_and_with_0_when_nobody_must(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    hand_in(course, "ann", notebook(solution(find_lesson(LESSON))))
    done = run(tmp_path, "grade", str(course.folder), "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["student"], row["lesson"], row["points"], row["possible"]) == ("ann", LESSON, 10, 10)
    assert Path(row["feedback_path"]).is_file()
    hand_in(course, "bob", b"not JSON")
    done = run(tmp_path, "grade", str(course.folder))
    assert done.returncode == 1, done.stderr
    assert "2 submissions graded." in done.stdout and "1 need a look by a person:" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert sum(score or 0 for score in scores(course, "ann").values()) == 10
    assert (course.folder / "grades.csv").is_file()
