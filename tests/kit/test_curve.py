"""`show_log`: what is in a log is drawn, and said in words for those who cannot see a drawing."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from torch.utils.tensorboard import SummaryWriter

from looplift import show_log
from looplift.curve.reading import Curve, read_curves
from looplift.curve.view import in_words

LOSSES = [3.0, 2.0, 1.5, 1.25, 1.0, 0.5, 0.25]


def write(folder: Path, values: list[float], tag: str = "loss", new_style: bool = False) -> None:
    with SummaryWriter(str(folder)) as writer:
        writer.add_hparams({"batch_size": 4}, {})
        for step, value in enumerate(values):
            writer.add_scalar(tag, value, step, new_style=new_style)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write(tmp_path / "plain", LOSSES)
    write(tmp_path / "two <processes>", LOSSES[::2])
    write(tmp_path / "plain", [0.5, 0.75], "accuracy")
    return tmp_path


def test_every_number_of_every_log_is_read(logs: Path) -> None:
    curves = read_curves(logs)
    assert [(it.tag, it.log) for it in curves] == [
        ("accuracy", "plain"),
        ("loss", "plain"),
        ("loss", "two <processes>"),
    ]
    assert curves[1].values == LOSSES and curves[1].steps == list(range(7))
    assert curves[2].points == ((0, 3.0), (1, 1.5), (2, 1.0), (3, 0.25))


def test_numbers_in_the_new_form_are_read_alike(tmp_path: Path) -> None:
    write(tmp_path, LOSSES, new_style=True)
    (curve,) = read_curves(tmp_path)
    assert (curve.values, curve.log) == (LOSSES, tmp_path.name)


def test_steps_that_begin_again_are_kept_as_they_were_written(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as writer:
        for step in (0, 1, 2, 0, 1, 2):
            writer.add_scalar("loss", float(step), step)
    (curve,) = read_curves(tmp_path)
    assert curve.steps == [0, 1, 2, 0, 1, 2]


def test_a_drawing_for_each_tag_and_a_line_for_each_log(logs: Path) -> None:
    page = BeautifulSoup(show_log(logs)._repr_html_(), "html.parser")
    drawings = page.select("figure > svg")
    assert [it.title.get_text() for it in drawings] == ["accuracy", "loss"]
    lines = drawings[1].select("polyline")
    assert [len(it["points"].split()) for it in lines] == [7, 4]
    names = [it.get_text() for it in drawings[1].select("text")]
    assert "plain" in names and "two <processe…" in names  # escaped, and short enough for its place


def test_colour_is_not_the_only_sign_and_nobody_has_to_see_the_drawing(logs: Path) -> None:
    loss = BeautifulSoup(show_log(logs)._repr_html_(), "html.parser").select("svg")[1]
    lines = loss.select("polyline")
    assert len({it["stroke-dasharray"] for it in lines}) == len({it["stroke"] for it in lines}) == 2
    assert loss["role"] == "img"
    named = [loss.find(id=it).get_text() for it in loss["aria-labelledby"].split()]
    assert named[0] == "loss" and "7 values" in named[1]


def test_points_lie_in_the_drawing_and_the_largest_value_lies_highest(logs: Path) -> None:
    loss = BeautifulSoup(show_log(logs)._repr_html_(), "html.parser").select("svg")[1]
    wide, high = map(float, loss["viewbox"].split()[2:])
    points = [tuple(map(float, it.split(","))) for it in loss.polyline["points"].split()]
    assert all(0 < x < wide and 0 < y < high for x, y in points)
    assert points == sorted(points) and [y for _, y in points] == sorted(y for _, y in points)


def test_where_there_is_no_display_a_line_says_what_there_is(logs: Path) -> None:
    assert repr(show_log(logs)).splitlines()[1] == (
        "loss in plain: 7 values; 3.000 at step 0, 1.500 at step 2, 1.250 at step 3, 1.000 at step 4, 0.250 at step 6."
    )
    assert set(show_log(logs)._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_one_value_and_values_that_are_no_numbers_can_be_drawn() -> None:
    assert in_words(Curve("loss", "x", ((3, 0.5),))) == "loss in x: 1 value; 0.500 at step 3."
    from looplift.curve.drawing import svg

    assert "polyline" in svg([Curve("loss", "x", ((3, 0.5),))], "a", "")
    assert "nan" not in svg([Curve("loss", "x", ((0, float("nan")), (1, 1.0)))], "a", "")
    assert svg([Curve("loss", "x", ((0, float("nan")),))], "a", "") == ""


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    view = show_log(tmp_path / "nothing")
    assert repr(view).startswith("There are no numbers in a log below ")
    assert "<svg" not in view._repr_html_()


def test_a_writer_that_is_never_closed_loses_what_it_holds(tmp_path: Path) -> None:
    """What the page log-not-closed says: up to ten values."""
    pid = os.fork()
    if pid == 0:
        writer = SummaryWriter(str(tmp_path))
        for step in range(9):
            writer.add_scalar("loss", 1.0, step)
        os._exit(0)
    os.waitpid(pid, 0)
    assert list(tmp_path.iterdir()) and read_curves(tmp_path) == []


def test_the_exercise_draws_its_log_and_no_other_lesson_needs_it() -> None:
    from looplift.lesson import lessons

    drawn = [it.name for it in lessons() if re.search(r"show_log\(", json.dumps(it.notebook))]
    assert drawn == ["11_tracking"]
