"""`looplift check` in a student's course: it takes a lesson, and notes the outcome. The judge is a stand-in here."""

from __future__ import annotations

import pytest
from student import desk, judged, looplift

from looplift.lesson import find_lesson

__all__ = ["desk"]  # a fixture


@pytest.mark.parametrize(
    "words", [["01"], ["first_loop"], ["01_first_loop/"], ["01_first_loop/exercise.ipynb"], []]
)
def test_check_takes_a_lesson_and_notes_the_outcome(desk, monkeypatch, words):
    asked = judged(monkeypatch, 10)
    done = looplift("check", *words)
    assert done.exit_code == 0, done.stderr
    assert [(path.resolve(), name) for path, name in asked] == [
        (desk.folder / "01_first_loop" / "exercise.ipynb", "01_first_loop")
    ]
    note = desk.note(find_lesson("01"))
    assert (note.points, note.possible, note.passed) == (10, 10, True)
    said = " ".join(done.stdout.split())
    assert (
        said
        == "Done. Next: 02 warmup_schedule, A learning rate that warms up, about 35 minutes (looplift next)."
    )


def test_check_without_a_word_is_about_the_folder_one_is_in(desk, monkeypatch):
    asked = judged(monkeypatch, 4)
    monkeypatch.chdir(desk.folder / "03_honest_metrics")
    done = looplift("check")
    assert (done.exit_code, done.stdout, asked[0][1]) == (1, "", "03_honest_metrics")
    assert desk.note(find_lesson("03")).points == 4


def test_check_of_a_file_elsewhere_notes_nothing(desk, monkeypatch, tmp_path):
    judged(monkeypatch, 10)
    elsewhere = tmp_path / "exercise.ipynb"
    elsewhere.write_bytes(find_lesson("01").exercise.read_bytes())
    assert looplift("check", str(elsewhere)).exit_code == 0
    assert desk.notes() == {}


def test_a_verdict_is_given_also_when_it_cannot_be_noted_down(desk, monkeypatch):
    judged(monkeypatch, 10)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("looplift.desk.desk.write_notes", full)
    done = looplift("check", "01")
    assert done.exit_code == 0
    assert "This could not be noted down: [Errno 28] No space left on device" in done.stdout
