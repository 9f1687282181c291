"""A class and its course: the same notebooks in a course of ours and in a plain nbgrader course."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from cost import of_command
from nbgrader.api import Gradebook

from looplift.classroom.source import source_notebook
from looplift.lesson import find_lesson

sys.path.append(str(Path(__file__).parents[1] / "kit"))
from answered import answered, solution  # noqa: E402

LESSON = "01_first_loop"
# Half of them right. None hangs: stock nbgrader would wait for its own time limit, which would only flatter us.
ANSWERS = (
    "model solution",
    "wrong_loader_not_prepared",
    "right_as_the_story_tells",
    "wrong_model_not_prepared",
    "right_prepare_one_by_one",
    "wrong_plain_backward",
    "right_trainer_class",
    "wrong_batches_moved_by_hand",
    "right_while_and_next",
    "wrong_raises_on_rank_1",
    "right_aliases",
    "wrong_unfinished",
)
# nbgrader's own configuration, but for the seconds that it gives a cell: on a busy machine 30 are too few.
_STOCK = """\
c = get_config()
c.CourseDirectory.course_id = "stock"
c.Execute.timeout = 600
"""


@dataclass(frozen=True)
class School:
    """A course in a folder, its one lesson released and handed in by students."""

    folder: Path
    students: tuple[str, ...]

    def mentions(self, word: str) -> int:
        """How many autograded notebooks have this word in them."""
        pages = (self.folder / "autograded").glob("*/*/exercise.ipynb")
        return sum(word in page.read_text(encoding="utf-8") for page in pages)

    def scores(self) -> dict[str, float]:
        """Points of each student, as the course's own gradebook has them."""
        with Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}") as gradebook:
            return {it: gradebook.find_submission(LESSON, it).score for it in self.students}


def class_answers(count: int) -> dict[str, str]:
    """What each student types into the answer cell. No two are the same file, so none is taken from a cache."""
    folder = Path(__file__).parents[1] / "answers" / LESSON
    typed = {}
    for number in range(count):
        name = ANSWERS[number % len(ANSWERS)]
        if name == "model solution":
            text = solution(find_lesson(LESSON))
        else:
            text = (folder / f"{name}.py").read_text(encoding="utf-8")
        student = f"student-{number + 1:02}"
        typed[student] = f"{text}\n# {student}\n"
    return typed


def looplift_school(folder: Path, count: int) -> School:
    """A course made by `looplift course`."""
    of_command([sys.executable, "-m", "looplift", "course", str(folder), "--lesson", LESSON])
    return _handed_in(folder, count)


def stock_school(folder: Path, count: int) -> School:
    """A plain nbgrader course without anything of ours but the notebook."""
    source = folder / "source" / LESSON / "exercise.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(source_notebook(find_lesson(LESSON)), encoding="utf-8")
    (folder / "nbgrader_config.py").write_text(_STOCK, encoding="utf-8")
    return _handed_in(folder, count)


def _handed_in(folder: Path, count: int) -> School:
    of_command([sys.executable, "-m", "nbgrader", "generate_assignment", LESSON], folder)
    typed = class_answers(count)
    for student, answer in typed.items():
        place = folder / "submitted" / student / LESSON
        place.mkdir(parents=True)
        notebook = answered(find_lesson(LESSON), answer)
        (place / "exercise.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return School(folder, tuple(typed))
