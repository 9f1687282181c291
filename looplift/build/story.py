"""An exercise's text: is the notebook made of it, do its links lead anywhere, does it take as long as it says?"""

from __future__ import annotations

from looplift.build.links import Text, check_explained, check_links
from looplift.build.minutes import check_minutes
from looplift.build.problem import Problem
from looplift.build.source import BuildError, read_source, source_path
from looplift.build.student import stale
from looplift.lesson import Lesson, lessons_folder


def check_freshness(lesson: Lesson) -> list[Problem]:
    """The committed notebook is the one which the source gives."""
    if not source_path(lesson).is_file():
        return []  # already reported as missing
    try:
        if not lesson.exercise.is_file() or not stale(lesson):
            return []
    except BuildError as error:
        return [Problem(lesson.name, "the exercise cannot be built", "exercise.py", str(error))]
    what = "the committed notebook is not what its source gives"
    step = f"Run `looplift build {lesson.number}` and commit the result."
    return [Problem(lesson.name, what, "exercise.ipynb", step)]


def check_story(lesson: Lesson) -> list[Problem]:
    """Dead links in the story and in the margin notes, and minutes that are far off."""
    path = source_path(lesson)
    if not path.is_file():
        return []
    try:
        cells = read_source(lesson).cells
    except BuildError:
        return []  # already told: the exercise cannot be built
    told = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    where = f"solutions/{lesson.name}/{path.name}"
    text = Text(lesson.name, where, path, told, lesson.folder, within=lessons_folder())
    return [*check_links(text), *_notes(lesson), *check_minutes(lesson)]


def _notes(lesson: Lesson) -> list[Problem]:
    path = lesson.folder / "diff.toml"
    if not path.is_file():
        return []  # the pair's check says so
    said = path.read_text(encoding="utf-8", errors="replace")
    return check_explained(
        Text(lesson.name, f"lessons/{lesson.name}/diff.toml", path, said, lesson.folder), said
    )
