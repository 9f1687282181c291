"""The student's commands: what they print, what they change, what they say when they cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from student import desk, looplift, possible

from looplift.desk import standings, start
from looplift.lesson import LessonError, find_lesson, lessons

__all__ = ["desk"]  # a fixture


# looplift alone, start


def test_alone_outside_a_course_it_says_how_to_start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = looplift()
    assert done.exit_code == 0
    assert "looplift start       copy the lessons to a folder of your own" in done.stdout
    assert json.loads(looplift("status", "--json").stdout) == {"folder": None, "next": None}
    looplift("start")
    assert looplift().stdout.endswith("\nYour course is in ./looplift-course: cd looplift-course\n")


def test_start_says_what_to_do_next(tmp_path, monkeypatch):
    files = len(start(tmp_path / "other").added)
    monkeypatch.chdir(tmp_path)
    assert looplift("start").stdout == (
        f"Your course is in looplift-course: {len(lessons())} lessons, {files} files copied.\n"
        "Go there: cd looplift-course\n"
        "Next: 01 first_loop, Your first loop on two processes, about 30 minutes\n"
        "  looplift diff 01                read before and after, side by side\n"
        "  jupyter lab 01_first_loop/exercise.ipynb\n"
        "                                  do the exercise\n"
        "  looplift watch 01               beside it: every save is checked\n"
    )


def test_start_inside_the_course_completes_it_and_makes_no_second_one(desk, monkeypatch):
    lesson = desk.place(find_lesson("02"))
    (lesson / "after.py").unlink()
    monkeypatch.chdir(lesson)
    done = looplift("start", "--json")
    data = json.loads(done.stdout)
    assert (data["folder"], data["new"], data["added"]) == (
        str(desk.folder),
        False,
        ["02_warmup_schedule/after.py"],
    )
    assert data["next"]["lesson"] == "01_first_loop"
    assert "is complete; nothing was changed." in looplift("start").stdout.replace("\n", " ")


def test_alone_inside_a_course_it_says_where_one_is_and_what_is_next(desk):
    desk.change(find_lesson("01"), points=10, possible=10, passed=True, checked="2027-03-01T10:00:00+00:00")
    desk.change(find_lesson("02"), points=4, possible=10, checked="2027-03-01T11:00:00+00:00")
    every = len(lessons())
    said = looplift().stdout
    assert said.startswith(
        f"looplift-course: 1 of {every} lessons done, 14 of {possible(desk)} points\n"
        "Next: 02 warmup_schedule, A learning rate that warms up, about 35 minutes\n"
        "  4 of 10 points so far\n"
        "  looplift diff 02 "
    )
    data = json.loads(looplift("status", "--json").stdout)
    assert (data["done"], data["points"], data["possible"]) == (1, 14, float(possible(desk)))
    assert (data["next"]["lesson"], data["next"]["minutes"]) == ("02_warmup_schedule", 35)
    assert json.loads(looplift("next", "--json").stdout)["folder"] == str(desk.folder / "02_warmup_schedule")
    assert looplift("next").stdout == said.split("\n", 1)[1]


def test_when_everything_is_done_it_says_so(desk):
    for it in standings(desk):
        desk.change(it.lesson, points=it.possible, possible=it.possible, passed=True)
    every = len(lessons())
    assert looplift("next").stdout == (
        f"Everything is done: {every} of {every} lessons done, {possible(desk)} of {possible(desk)} points.\n"
    )
    assert json.loads(looplift("next", "--json").stdout) is None
    assert "every lesson is done: say which you mean, such as 01" in looplift("hint").stderr


# list


def test_list_in_a_course_has_state_and_points(desk):
    desk.change(find_lesson("01"), points=10, possible=10, passed=True)
    desk.change(find_lesson("03"), hints=1)
    lines = [line.rstrip() for line in looplift("list").stdout.split("\n")]
    assert lines[0].split() == ["lesson", "state", "points", "minutes", "title"]
    assert lines[1].split(maxsplit=6) == [
        "01_first_loop",
        "done",
        "10",
        "of",
        "10",
        "30",
        "Your first loop on two processes",
    ]
    assert lines[3].split()[:3] == ["03_honest_metrics", "begun", "0"]
    assert f"1 of {len(lessons())} lessons done, 10 of {possible(desk)} points" in lines
    rows = json.loads(looplift("list", "--json").stdout)
    assert [row["lesson"] for row in rows] == [it.name for it in lessons()]
    assert (rows[0]["passed"], rows[0]["points"], rows[0]["folder"]) == (
        True,
        10,
        str(desk.folder / "01_first_loop"),
    )
    assert rows[0]["teaches"]


@pytest.mark.parametrize("width", [30, 40, 71, 72, 120])
def test_a_narrow_terminal_without_unicode_still_shows_state_and_points(desk, width):
    desk.change(find_lesson("01"), points=10, possible=10, passed=True)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": str(width), "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "looplift", "list"],
        env=environment,
        cwd=desk.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert all(len(line) <= width for line in lines[: len(lessons()) + 1])
    assert "done" in done.stdout and f"1 of {len(lessons())} lessons done" in done.stdout
    assert ("minutes" in lines[0]) == (width >= 72)


def test_list_outside_a_course_is_about_the_lessons_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "difficulty" in looplift("list").stdout
    rows = json.loads(looplift("list", "--json").stdout)
    assert len(rows) >= 3 and all("points" not in row and row["minutes"] for row in rows)


# hint, reset, solution


def test_hint_shows_one_level_more_each_time(desk):
    first = looplift("hint", "01").stdout
    assert first.startswith("01 first_loop, hint 1 of 3: where to look\n\n  Go through `plain_loop`")
    assert first.endswith("\n2 more to come.\n")
    assert looplift("hint").stdout.startswith("01 first_loop, hint 2 of 3: what goes where\n")
    assert looplift("hint", "--again").stdout.startswith("01 first_loop, hint 2 of 3: what goes where\n")
    assert "accelerator.backward(...)" in looplift("hint", "1").stdout
    assert "You have seen all 3 hints of 01 first_loop." in looplift("hint", "1").stdout


def test_reset_says_where_the_backup_is(desk):
    (desk.folder / "01_first_loop" / "exercise.ipynb").write_text("mine")
    said = looplift("reset", "01").stdout.split("\n")
    assert said[0] == "01_first_loop/exercise.ipynb is as it was given."
    backup = said[1].removeprefix("What you had is kept in ").removesuffix(".")
    assert (desk.folder / backup).read_text() == "mine"


def test_the_solution_is_shown_after_passing_or_giving_up(desk):
    lesson = find_lesson("01")
    done = looplift("solution", "01")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "01 first_loop has not passed a check yet." in done.stderr and "--give-up" in done.stderr
    done = looplift("solution", "01", "--give-up")
    assert done.exit_code == 0
    assert done.stdout.startswith("That is all right: reading a good answer is a way to learn, too.\n")
    assert "model solution" in done.stdout and "accelerator.backward(loss)" in done.stdout
    assert desk.note(lesson).gave_up
    desk.change(lesson, passed=True, gave_up=False)
    done = looplift("solution", "01")
    assert (done.exit_code, "all right" in done.stdout) == (0, False)
    assert not desk.note(lesson).gave_up


def test_giving_up_is_not_noted_when_there_is_no_solution_to_show(desk, monkeypatch):
    def only_in_a_clone():
        raise LessonError("not here")

    monkeypatch.setattr("looplift.desk.solution.solutions_folder", only_in_a_clone)
    done = looplift("solution", "01", "--give-up")
    assert done.exit_code == 2 and "model solutions are not in the installed package" in done.stderr
    assert desk.notes() == {}


# Everywhere


@pytest.mark.parametrize(
    "words", [["hint", "01"], ["next"], ["reset", "01"], ["solution", "01"], ["watch"], ["check"]]
)
def test_outside_a_course_a_command_says_how_to_get_one(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    done = looplift(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "`looplift start`" in done.stderr


@pytest.mark.parametrize(
    "command", ["start", "status", "next", "hint", "reset", "solution", "watch", "list", "check"]
)
def test_every_command_shows_an_example_in_its_help(command):
    done = looplift(command, "--help")
    assert done.exit_code == 0 and f"looplift {command}" in " ".join(
        done.stdout.split("Example", 1)[1].split()
    )


def test_these_commands_do_not_wait_for_torch():
    names = "start, status, next, hint, reset, solution, watch, listing"
    code = (
        f"import sys; from looplift.commands import {names}; import looplift.watching, looplift.desk.solution\n"
        "print([it for it in ('torch', 'accelerate', 'transformers', 'nbgrader', 'numpy') if it in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_broken_notes_are_told_on_stderr_and_the_command_goes_on(desk):
    (desk.folder / ".looplift.json").write_text("{")
    done = looplift("next")
    assert done.exit_code == 0 and done.stdout.startswith("Next: 01 first_loop")
    assert done.stderr.startswith("looplift: the notes on your progress could not be read")
