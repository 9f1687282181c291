"""The benchmarks run, at a tiny size, and say a ratio. What they measure is for a quiet machine, not for a test."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from classroom_cases import CHECKS, hand_in, released_course, scores

from looplift.lesson import find_lesson, lessons

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from class_of_24 import Round, report  # noqa: E402
from cold_check import imports_of  # noqa: E402
from comparison import Comparison, table  # noqa: E402
from cost import Cost, middle, of_command  # noqa: E402
from fair import failures, right_answers  # noqa: E402
from memory import report as memory_report  # noqa: E402
from notebook_check import cells_before_launch, on_free_port  # noqa: E402
from school import ANSWERS, class_answers  # noqa: E402

SCRIPTS = ("class_of_24.py", "cold_check.py", "fair.py", "memory.py", "notebook_check.py", "recording.py")
BUSY = "import time\nwhile time.process_time() < 0.3: pass\n"


def said_by(*words: str) -> str:
    """What a benchmark prints."""
    done = subprocess.run([sys.executable, *words], cwd=BENCHMARKS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(said: str) -> list[list[str]]:
    """The lines of the table, cut at its columns: what, ours, peer, ratio and so on."""
    lines = said.split("\n")
    heads = next(index for index, line in enumerate(lines) if "ratio" in line and "target" in line)
    assert lines[heads].split() == ["ours", "peer", "ratio", "target"]
    return [
        [it.strip() for it in line.split("  ") if it] for line in lines[heads + 1 : lines.index("", heads)]
    ]


def ratio_of(row: list[str]) -> float:
    return float(row[3].split()[0])


# costs and comparisons


def test_the_ratio_is_the_median_of_the_pairs() -> None:
    ours = (Cost(1, 2), Cost(2, 2), Cost(30, 2))
    peer = (Cost(2, 1), Cost(2, 1), Cost(10, 1))
    compared = Comparison("it", ours, peer, 1.0)
    assert (compared.clock_ratio, compared.processor_ratio) == (1.0, 2.0)
    assert compared.outcome == ("<= 1", "met")
    assert Comparison("it", ours, peer, 0.9).outcome == ("<= 0.9", "MISSED")
    assert Comparison("it", ours, peer).outcome == ("", "")


def test_measurements_come_in_pairs() -> None:
    with pytest.raises(ValueError, match="2 measurements of ours, 1 of the peer"):
        Comparison("it", (Cost(1, 1), Cost(1, 1)), (Cost(1, 1),), 1.0)
    with pytest.raises(ValueError, match="0 measurements"):
        Comparison("it", (), (), 1.0)


def test_the_table_names_both_sides_the_ratio_and_the_versions() -> None:
    said = table("we", "they", [Comparison("a thing", (Cost(3, 2),), (Cost(1.5, 4),), 3.0)])
    assert said.startswith("ours: we\npeer: they\n")
    assert rows_of(said) == [["a thing", "3.00 s (2.00)", "1.50 s (4.00)", "2.00 (0.50)", "<= 3", "met"]]
    assert "torch 2." in said and "load" in said


def test_small_costs_are_told_in_milliseconds() -> None:
    (row,) = rows_of(
        table("we", "they", [Comparison("a step", (Cost(0.003, 0.002),), (Cost(0.002, 0.001),), 2.0)])
    )
    assert row[1:3] == ["3.00 ms (2.00)", "2.00 ms (1.00)"]


def test_a_cost_can_be_shared_and_the_middle_taken() -> None:
    assert Cost(6, 3).shared_by(3) == Cost(2, 1)
    assert middle([Cost(1, 9), Cost(5, 8), Cost(3, 1)]) == Cost(3, 8)


def test_a_command_s_cost_holds_that_of_its_children(tmp_path: Path) -> None:
    child = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BUSY!r}])\n"
    assert of_command([sys.executable, "-c", child], tmp_path).processor >= 0.3


def test_a_command_that_fails_is_no_measurement(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ended with 1:(.|\n)*ValueError: no"):
        of_command([sys.executable, "-c", "raise ValueError('no')"], tmp_path)
    assert of_command([sys.executable, "-c", "raise SystemExit(1)"], tmp_path, allowed=(0, 1)).clock > 0


# the scripts


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_tells_how_it_is_called_and_against_what_it_measures(script: str) -> None:
    said = ast.get_docstring(ast.parse((BENCHMARKS / script).read_text(encoding="utf-8"))) or ""
    assert f"python tests/benchmarks/{script}" in said
    assert "against" in said
    assert f"python tests/benchmarks/{script}" in (BENCHMARKS / "README.md").read_text(encoding="utf-8")


def test_only_the_imports_of_an_exercise_are_its_peer() -> None:
    for lesson in lessons():
        statements = ast.parse(imports_of(lesson)).body
        assert len(statements) >= 5
        assert all(isinstance(it, ast.Import | ast.ImportFrom) for it in statements)
        assert "import torch" in imports_of(lesson) and "looplift.material" in imports_of(lesson)


def test_the_launch_that_is_compared_is_the_exercise_s_own() -> None:
    before, launch, check = cells_before_launch(find_lesson("01"))
    assert "def training_loop" in before[-1] and "accelerator.prepare" in before[-1]
    assert launch.endswith("notebook_launcher(training_loop, args, num_processes=2)")
    assert "num_processes=2, use_port='" in on_free_port(launch)
    assert check == 'check("one_accelerator", training_loop)'


def test_the_class_is_half_right_and_no_two_hand_in_the_same() -> None:
    typed = class_answers(12)
    assert len(set(typed.values())) == 12 == len(set(ANSWERS))
    assert sum(name.startswith("wrong_") for name in ANSWERS) == 6
    assert len(set(class_answers(30).values())) == 30


def test_the_class_is_reported_with_both_targets_pages_and_the_training_alone() -> None:
    said = report([Round(Cost(20, 30), Cost(3, 2), Cost(9, 8), Cost(250, 200), 24, 23, 0)], Cost(12, 10))
    first, second, pages, alone = rows_of(said)
    assert first[0] == "24 submissions" and first[3:] == ["0.08 (0.15)", "<= 0.1", "met"]
    assert second[0] == "again, unchanged" and second[3:] == ["0.01 (0.01)", "<= 0.02", "met"]
    assert (pages[0], pages[3]) == ("again, with pages", "0.04 (0.04)")
    assert (alone[0], alone[3]) == ("the training alone", "0.05 (0.05)")
    assert said.endswith("same points from both: 23 of 24")


def test_a_port_that_was_taken_is_told() -> None:
    said = report([Round(Cost(1, 1), Cost(1, 1), Cost(1, 1), Cost(2, 2), 1, 0, 1)], Cost(1, 1))
    assert "stock found port 29500 taken in 1 notebooks" in said


def test_memory_grades_a_class_by_made_up_verdicts_and_tells_the_peak(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    hand_in(course, "ann")
    told = json.loads(said_by("memory.py", "--grade", str(course.folder)))
    assert told["rows"] == 1
    assert 50 < told["peak"] < 2000  # MB
    assert scores(course, "ann").keys() == CHECKS.keys()
    assert memory_report(10, 200, 500, 210).endswith("ratio 1.05, target <= 1.1  met")
    assert memory_report(10, 200, 500, 221).endswith("ratio 1.10, target <= 1.1  MISSED")


def test_all_right_answers_of_all_lessons_are_judged_under_load() -> None:
    jobs = right_answers()
    assert {job.lesson for job in jobs} == {lesson.name for lesson in lessons()}
    assert len({job.key for job in jobs}) == len(jobs) >= 40
    assert sum(job.key.endswith("model solution") for job in jobs) == len(lessons())
    said, made = failures(2, busy=2, at_once=2)
    assert (dict(said), made) == ({}, 2)
