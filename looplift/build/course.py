"""What belongs to no single lesson: folders that are no lesson's, and the links of what is written for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import looplift.kinds
from looplift.build.links import Text, check_links
from looplift.build.problem import Problem
from looplift.lesson import Lesson, answers_folder, clone_folder, lessons_folder, solutions_folder

COURSE = "course"  # the name under which its problems stand
_WRITTEN = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "lessons/README.md", "data/README.md")


def check_course(lessons: Sequence[Lesson]) -> list[Problem]:
    """Raises LessonError in an installed wheel."""
    return [*_numbers(lessons), *_strangers(lessons), *_links()]


def _numbers(lessons: Sequence[Lesson]) -> list[Problem]:
    problems = []
    for earlier, later in zip(lessons, lessons[1:], strict=False):
        if earlier.number == later.number:
            what = f"{earlier.name} and {later.name} have the same number"
            problems.append(Problem(COURSE, what, "lessons", "Give one of them the next free number."))
    return problems


def _strangers(lessons: Sequence[Lesson]) -> list[Problem]:
    """Folders whose name is no lesson's: nothing in them is ever looked at."""
    names = {it.name for it in lessons}
    problems = []
    for folder, place in (
        (lessons_folder(), "lessons"),
        (solutions_folder(), "solutions"),
        (answers_folder(), "tests/answers"),
    ):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_dir() and path.name not in names and not path.name.startswith((".", "__")):
                step = "Call it NN_name, like a folder in lessons, or take it away."
                problems.append(
                    Problem(COURSE, "a folder belongs to no lesson", f"{place}/{path.name}", step)
                )
    return problems


def _links() -> list[Problem]:
    clone = clone_folder()
    pages = sorted(Path(looplift.kinds.__file__).with_name("pages").glob("*/*.md"))
    texts = [(path, name) for name in _WRITTEN if (path := clone / name).is_file()]
    texts += [(path, f"looplift/kinds/pages/{path.parent.name}/{path.name}") for path in pages]
    return [
        problem
        for path, where in texts
        for problem in check_links(
            Text(COURSE, where, path, path.read_text(encoding="utf-8", errors="replace"), path.parent)
        )
    ]
