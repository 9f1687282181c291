"""Ways to train, counted while they run: the numbers are the program's, and the chart says them to everybody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from looplift.lesson import find_lesson
from looplift.ways import Way, WayError, Ways
from looplift.ways.way import NAMES, try_way

PROGRAM = '''
import sys
import torch

def helper(optimizer):
    optimizer.step()

def train(epochs):
    """Not a statement to write."""
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for epoch in range(epochs):
        for batch in range(4):
            if batch == 3:
                weight.data.mul_(1)
            loss = (
                weight * batch
            ).sum()
            loss.backward()
            helper(optimizer)
    print(f"epoch {epoch}: done")

train(int(sys.argv[sys.argv.index("--epochs") + 1]))
'''
SAME = """
import sys, torch
torch.set_num_threads(1)
sys.dont_write_bytecode = True
import before, after, trainer
found = [dict(it.train(epochs=1).state_dict()) for it in (before, after, trainer)]
for other in found[1:]:
    assert found[0].keys() == other.keys()
    print(max(float((found[0][name] - other[name]).abs().max()) for name in other))
"""


def test_statements_are_counted_as_they_are_written_and_as_they_run(tmp_path: Path) -> None:
    program = tmp_path / "loop.py"
    program.write_text(PROGRAM)
    way = try_way(program, epochs=2)
    # Ten statements; for every batch run the if, the loss, backward and helper, but not what is under the if.
    assert way == Way("loop", 10, 4, 8, False, "epoch 1: done")
    assert way.devices == "one device"
    assert sorted(tmp_path.iterdir()) == [program]


def test_a_program_that_fails_says_which_and_why(tmp_path: Path) -> None:
    program = tmp_path / "loop.py"
    program.write_text("def train():\n    raise ValueError('no data')\n\ntrain()\n")
    with pytest.raises(WayError, match=r"loop.py did not run to its end: ValueError: no data"):
        try_way(program)
    program.write_text("print('nothing to count')\n")
    with pytest.raises(WayError, match="it has no function train"):
        try_way(program)


def test_the_three_programs_of_the_lesson_do_the_same_work() -> None:
    folder = find_lesson("06").folder
    assert all((folder / f"{stem}.py").is_file() for stem in NAMES)
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "ACCELERATE_USE_CPU": "yes",
        "PYTHONPATH": os.pathsep.join(it for it in sys.path if it),
    }
    done = subprocess.run(
        [sys.executable, "-c", SAME], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    apart = [float(line) for line in done.stdout.splitlines() if line[0].isdigit()]
    assert len(apart) == 2 and max(apart) <= 1e-6, apart


def test_the_chart_is_a_drawing_and_says_every_number_in_words() -> None:
    ways = Ways(
        (
            Way("Trainer", 10, 0, 60, True, "epoch 0: accuracy 0.798"),
            Way("plain <loop>", 19, 7, 60, False, "epoch 0: accuracy 0.798"),
            Way("Accelerate", 18, 6, 60, True, "epoch 0: accuracy 0.798"),
        )
    )
    drawing = ElementTree.fromstring(ways.drawing())
    said = drawing.attrib["aria-label"]
    assert "Trainer: 10 statements to write, 0 run for each batch, on any number of devices" in said
    words = [it.text for it in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Trainer", "plain <loop>", "Accelerate", "one device"} <= set(words)
    groups = list(drawing.iter("{http://www.w3.org/2000/svg}g"))
    marks = [[it.tag for it in group if it.text is None and it.get("fill")] for group in groups]
    assert len(groups) == 3 and len({tuple(it) for it in marks}) == 3  # told apart by shape
    lines = repr(ways).splitlines()
    assert len(lines) == 4 and "19 statements" in lines[2] and "one device" in lines[2]
    assert "<loop>" not in ways._repr_html_() and ways._repr_mimebundle_()["text/plain"] == repr(ways)


def test_words_of_neighbours_do_not_lie_on_each_other() -> None:
    ways = Ways((Way("a", 19, 7, 1, True, ""), Way("b", 18, 6, 1, True, "")))
    drawing = ElementTree.fromstring(ways.drawing())
    space = "{http://www.w3.org/2000/svg}"
    heights = []
    for group in drawing.iter(f"{space}g"):
        down = float(group.attrib["transform"].rstrip(")").split()[1])
        heights.append([down + float(text.attrib["y"]) for text in group.iter(f"{space}text")])
    first, second = sorted(heights)
    assert len(heights) == 2 and second[0] - first[1] >= 15
