"""A student's own folder: copied once, never overwritten, with notes that are whole or set aside."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from looplift.desk import Desk, DeskError, find_desk, next_up, put_back, standings, start
from looplift.desk.notes import FILE, FORMAT, Note, read_notes, write_whole
from looplift.desk.solution import beside, model_solution, own_answer
from looplift.lesson import LessonError, find_lesson, lessons
from looplift.verdict import CheckResult, Verdict

FILES = ("after.py", "before.py", "exercise.ipynb", "task.py")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return start(tmp_path / "course").desk


def verdict(points: float, possible: float = 10, flag: str = "") -> Verdict:
    status = "pass" if points == possible else "mend"
    return Verdict(
        "01_first_loop", "exercise.ipynb", (CheckResult("all", "all", possible, points, status),), flag=flag
    )


def names(folder: Path) -> list[str]:
    return sorted(str(it.relative_to(folder)) for it in folder.rglob("*") if it.is_file())


# Start


def test_start_copies_every_lesson_as_it_lies_on_the_shelf(tmp_path):
    started = start(tmp_path / "deep" / "course")
    assert started.new
    shelf = [f"{it.name}/{path.name}" for it in lessons() for path in it.folder.iterdir() if path.is_file()]
    assert names(started.desk.folder) == sorted(
        [FILE, *(it for it in shelf if not it.endswith("/diff.toml"))]
    )
    assert {f"{it.name}/{name}" for it in lessons() for name in FILES} <= set(shelf)
    assert sorted(started.added) == names(started.desk.folder)[1:]
    for lesson in lessons():
        assert (started.desk.place(lesson) / "exercise.ipynb").read_bytes() == lesson.exercise.read_bytes()


def test_start_again_adds_what_is_missing_and_touches_nothing_else(desk):
    lesson = find_lesson("01")
    mine = desk.place(lesson) / "exercise.ipynb"
    mine.write_text("my work")
    (desk.place(lesson) / "task.py").unlink()
    desk.change(lesson, points=3)
    before = {name: (desk.folder / name).stat().st_mtime_ns for name in names(desk.folder)}
    started = start(desk.folder)
    assert (started.new, started.added) == (False, ("01_first_loop/task.py",))
    assert mine.read_text() == "my work"
    assert desk.note(lesson).points == 3
    after = {name: (desk.folder / name).stat().st_mtime_ns for name in names(desk.folder)}
    assert {name: after[name] for name in before} == before and len(before) >= 12


def test_start_leaves_a_link_that_leads_nowhere_alone(desk):
    target = desk.place(find_lesson("01")) / "task.py"
    target.unlink()
    target.symlink_to("nowhere")
    assert start(desk.folder).added == ()
    assert os.readlink(target) == "nowhere"


def test_what_is_in_the_way_is_named(tmp_path, desk):
    (tmp_path / "file").write_text("")
    with pytest.raises(DeskError, match="is a file: name a folder"):
        start(tmp_path / "file")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "01_first_loop").write_text("")
    with pytest.raises(DeskError, match="01_first_loop is a file, and the lesson needs a folder there"):
        start(tmp_path / "other")
    with pytest.raises(DeskError, match="would lie inside your course"):
        start(desk.folder / "again")


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "kept.json"
    path.write_text("old")

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["kept.json"]


# Notes


def test_the_desk_is_found_from_any_folder_in_it(desk, tmp_path):
    assert find_desk(desk.place(find_lesson("02"))) == desk
    assert find_desk(tmp_path) is None
    assert desk.lesson_at(desk.folder / "02_warmup_schedule" / "deep") == find_lesson("02")
    assert desk.lesson_at(desk.folder) is None
    assert desk.lesson_at(tmp_path) is None


def test_the_best_result_counts_and_a_lesson_stays_passed(desk):
    lesson = find_lesson("01")
    assert desk.record(lesson, verdict(4)).points == 4
    note = desk.record(lesson, verdict(10))
    assert (note.points, note.possible, note.passed) == (10, 10, True)
    note = desk.record(lesson, verdict(2))
    assert (note.points, note.passed) == (10, True)
    assert note.checked.endswith("+00:00")
    # The lesson was changed since: other points.
    assert desk.record(lesson, verdict(2, possible=12)).points == 2


def test_a_flagged_verdict_does_not_make_a_lesson_done(desk):
    assert not desk.record(find_lesson("01"), verdict(10, flag="cell plain is missing")).passed


BROKEN = {
    "half": '{"format": 1, "less',
    "empty": "",
    "another thing": "[1, 2]",
    "no lessons": '{"format": 1}',
    "lessons in a list": '{"format": 1, "lessons": ["01_first_loop"]}',
    "a wrong value": '{"format": 1, "lessons": {"01_first_loop": {"points": "many"}}}',
    "true for a number": '{"format": 1, "lessons": {"01_first_loop": {"hints": true}}}',
    "no text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_notes_are_set_aside_with_a_sentence(desk, kind):
    content = BROKEN[kind] if isinstance(BROKEN[kind], bytes) else BROKEN[kind].encode()
    (desk.folder / FILE).write_bytes(content)
    said: list[str] = []
    assert read_notes(desk.folder, said.append) == {}
    aside = list(desk.folder.glob("looplift-broken-*.json"))
    assert [it.read_bytes() for it in aside] == [content]
    assert len(said) == 1 and aside[0].name in said[0] and "your exercises are as they were" in said[0]
    assert read_notes(desk.folder, said.append) == {} and len(said) == 1
    assert find_desk(desk.folder) == desk


def test_notes_of_a_newer_looplift_are_left_alone(desk):
    text = json.dumps({"format": FORMAT + 1, "kit": "9.0", "lessons": {}})
    (desk.folder / FILE).write_text(text)
    with pytest.raises(DeskError, match=r"written by a newer looplift \(9.0\): update this one"):
        desk.notes()
    assert (desk.folder / FILE).read_text() == text


def test_what_another_version_noted_besides_is_no_fault(desk):
    raw = {"format": FORMAT, "lessons": {"01_first_loop": {"points": 3, "mood": "good"}}}
    (desk.folder / FILE).write_text(json.dumps(raw))
    assert desk.note(find_lesson("01")) == Note(points=3)


# Where one stands


def test_next_is_the_first_lesson_that_is_not_done_or_the_first_behind_this_one(desk):
    first, second, third = lessons()[:3]
    assert next_up(standings(desk)).lesson == first
    assert next_up(standings(desk), after=first).lesson == second
    assert next_up(standings(desk), after=lessons()[-1]).lesson == first
    desk.change(second, passed=True)
    assert next_up(standings(desk), after=first).lesson == third
    for lesson in lessons():
        desk.change(lesson, passed=lesson != first)
    assert next_up(standings(desk), after=first) is None
    assert next_up(standings(desk)).lesson == first


def test_a_lesson_has_its_points_before_the_first_check(desk):
    every = standings(desk)
    assert len(every) == len(lessons()) >= 3
    assert all(it.possible > 0 and it.word == "" for it in every) and every[0].possible == 10
    desk.change(every[1].lesson, hints=1)
    assert standings(desk)[1].word == "begun"


def test_the_file_saved_last_is_what_the_student_works_in(desk):
    lesson = find_lesson("01")
    notebook, script = (desk.place(lesson) / name for name in ("exercise.ipynb", "exercise.py"))
    assert desk.work(lesson) == notebook
    script.write_text("x = 1\n")
    saved = notebook.stat().st_mtime
    os.utime(script, (saved + 60, saved + 60))
    assert desk.work(lesson) == script
    os.utime(script, (saved + 0.5, saved + 0.5))  # a paired script, saved with its notebook
    assert desk.work(lesson) == notebook
    notebook.unlink()
    assert desk.work(lesson) == script
    script.unlink()
    with pytest.raises(DeskError, match="no exercise.ipynb in .*: `looplift start` puts it back"):
        desk.work(lesson)


# Reset and solution


def test_reset_puts_the_exercise_back_and_keeps_a_backup(desk):
    lesson = find_lesson("01")
    path = desk.place(lesson) / "exercise.ipynb"
    desk.record(lesson, verdict(10))
    desk.change(lesson, hints=2, gave_up=True)
    backups = []
    for mine in ("first try", "second try"):  # within one second: two names
        path.write_text(mine)
        backups.append(put_back(desk, lesson))
        assert path.read_bytes() == lesson.exercise.read_bytes()
    assert [it.read_text() for it in backups] == ["first try", "second try"]
    assert all(it.name.startswith("exercise-backup-") and it.suffix == ".ipynb" for it in backups)
    assert desk.note(lesson) == Note(possible=10, gave_up=True)


def test_reset_of_an_untouched_or_missing_exercise_needs_no_backup(desk):
    lesson = find_lesson("01")
    assert put_back(desk, lesson) is None
    (desk.place(lesson) / "exercise.ipynb").unlink()
    assert put_back(desk, lesson) is None
    assert names(desk.place(lesson)) == list(FILES)


def test_the_model_solution_stands_beside_the_students_own(desk):
    for lesson in lessons():
        model = model_solution(lesson)
        assert model.startswith("def training_loop(") and "SOLUTION" not in model
        diff = beside(desk.work(lesson), lesson)
        assert (diff.left_name, diff.right_name) == ("yours", "model solution")
        assert [line.text for line in diff.right] == model.rstrip("\n").split("\n")
        assert any("raise NotImplementedError" in line.text for line in diff.left)


def test_a_notebook_that_cannot_be_read_leaves_the_left_side_empty(tmp_path):
    path = tmp_path / "exercise.ipynb"
    path.write_text("{")
    assert own_answer(path, find_lesson("01")) == ""
    script = tmp_path / "exercise.py"
    script.write_text("def training_loop():\n    pass\n")
    assert own_answer(script, find_lesson("01")) == "def training_loop():\n    pass\n"


def test_an_installed_wheel_says_where_the_solution_is(monkeypatch):
    def only_in_a_clone():
        raise LessonError("not here")

    monkeypatch.setattr("looplift.desk.solution.solutions_folder", only_in_a_clone)
    with pytest.raises(DeskError, match="get a clone of it and look at solutions/01_first_loop/exercise.py"):
        model_solution(find_lesson("01"))
