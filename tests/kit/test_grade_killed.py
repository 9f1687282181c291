"""`looplift grade` can be killed at any instant: what was done is kept, and the next run does the rest."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from classroom_cases import LESSON, hand_in, notebook, released_course
from nbgrader.api import Gradebook
from pool_cases import ENDLESS, SOLUTION, left_over

from looplift.classroom import Course, open_course

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
KILLS = 20
MARK = f"mark-{uuid.uuid4()}"


def environment(place: Path) -> dict[str, str]:
    """Processes that are found again, and a folder of their own for temporary files."""
    place.mkdir(exist_ok=True)
    return os.environ | {"LOOPLIFT_MARK": MARK, "TMPDIR": str(place), "PYTHONPATH": os.pathsep.join(sys.path)}


def grade(course: Course, place: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "looplift", "grade", str(course.folder), "--no-sandbox", *options]
    return subprocess.Popen(
        command, env=environment(place), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def finished(course: Course, place: Path) -> list[str]:
    """Grade to the end; the lines that were said."""
    process = grade(course, place)
    said = process.communicate(timeout=300)[1].splitlines()
    assert process.returncode == 1, said  # one submission waits for a person
    assert not any(line.startswith("Traceback") for line in said), said
    return said


def standing(course: Course) -> dict[str, Any]:
    """All that the gradebook and autograded/ say."""
    found: dict[str, Any] = {}
    with Gradebook(f"sqlite:///{course.folder / 'gradebook.db'}") as gradebook:
        for submission in gradebook.assignment_submissions(LESSON):
            (it,) = submission.notebooks
            student = submission.student.id
            found[student] = sorted(
                (grade.name, grade.auto_score, grade.manual_score, grade.needs_manual_grade)
                for grade in it.grades
            ) + sorted((comment.name, comment.auto_comment) for comment in it.comments)
            path = course.folder / "autograded" / student / LESSON / "exercise.ipynb"
            found[f"{student}'s notebook"] = json.loads(path.read_text(encoding="utf-8"))
            assert (course.folder / "feedback" / student / LESSON / "exercise.html").is_file()
    return found


def kill_at_random(course: Course, place: Path, draw: random.Random) -> bool:
    """Start a run and kill it, a random moment after a random line. False when it was done before that."""
    judged = len(list(course.verdicts.glob("*.json"))) >= 3
    process = grade(course, place, *(["--force"] if judged else []), "-j", "2")
    assert process.stderr is not None
    for _ in range(draw.randrange(7)):
        if not process.stderr.readline():
            break
    time.sleep(draw.uniform(0, 0.2))
    landed = process.poll() is None
    process.kill()
    process.communicate(timeout=60)
    return landed


def test_twenty_kills_at_random_instants_end_with_the_gradebook_of_a_quiet_run(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    hand_in(course, "ann", notebook(SOLUTION))
    hand_in(course, "bob", notebook("x = 1"))
    hand_in(course, "cy", b"{ no notebook")
    hand_in(course, "dee", notebook(SOLUTION + "# dee\n"))
    course.secret  # noqa: B018 - drawn when it is first asked for: both courses must have the same
    quiet = open_course(Path(shutil.copytree(course.folder, tmp_path / "quiet")))
    draw, killed = random.Random(4), 0
    for _ in range(4 * KILLS):
        killed += kill_at_random(course, tmp_path / "tmp", draw)
        assert left_over(MARK) == set()
        if killed == KILLS:
            break
    assert killed == KILLS
    said = finished(course, tmp_path / "tmp")
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not list(course.own.rglob("*.part"))
    finished(quiet, tmp_path / "tmp")
    assert standing(course) == standing(quiet)
    assert len(standing(course)) == 8
    assert not any(line.startswith("judging") and "ann" in line for line in said), said


def test_ctrl_c_ends_cleanly_and_says_what_is_kept_and_how_to_go_on(tmp_path: Path) -> None:
    course = released_course(tmp_path)
    hand_in(course, "ann", notebook("x = 1"))
    hand_in(course, "bob", notebook(ENDLESS))
    process = grade(course, tmp_path / "tmp", "-j", "1")
    assert process.stderr is not None
    while "ann" not in (line := process.stderr.readline()):
        assert line
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert said.endswith(
        "looplift: stopped. 1 verdict is kept, 0 submissions are recorded; nothing that it started is left running.\n"
        f"Go on with: looplift grade {course.folder}\n"
    )
    assert left_over(MARK) == set()
    assert list((tmp_path / "tmp").iterdir()) == []
    assert len(list(course.verdicts.glob("*.json"))) == 1
