"""`looplift new-lesson`: the files of a lesson that runs, with places where its author's words belong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from string import Template

from looplift.build.student import build_lesson
from looplift.fault import KitError
from looplift.lesson import (
    Lesson,
    LessonError,
    answers_folder,
    clone_folder,
    graded_folder,
    lessons,
    lessons_folder,
    solutions_folder,
)

_TEMPLATES = Path(__file__).with_name("scaffold")
_SLUG = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 30


@dataclass(frozen=True)
class Begun:
    """A lesson that was begun. files: what was written, relative to the clone, in the order in which to go on."""

    lesson: Lesson
    files: tuple[str, ...]


def begin_lesson(word: str) -> Begun:
    """Write the files of a new lesson, with the next free number.

    Raises KitError when the name is none, or taken, or when there is no clone; nothing is written then, and nothing is
    ever overwritten.
    """
    try:
        clone = clone_folder()
    except LessonError:
        raise KitError(
            "a lesson is written in a clone of looplift; the installed package holds no sources."
        ) from None
    slug = _slug(word)
    name = f"{_next_number():02d}_{slug}"
    lesson = Lesson(name, lessons_folder() / name, graded_folder() / f"test_{name}.py")
    places = _places(lesson)
    there = next((path for path in (*places, lesson.exercise) if path.exists()), None)
    if there is not None:
        raise KitError(
            f"{there.relative_to(clone)} is there already, so nothing was written: move it away first."
        )
    words = {"name": name, "number": lesson.number, "title": slug.replace("_", " ").capitalize()}
    for path, template in places.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (_TEMPLATES / f"{template}.template").read_text(encoding="utf-8")
        _write(path, Template(text).substitute(words))
    _write(lesson.exercise, build_lesson(lesson))
    return Begun(lesson, tuple(str(path.relative_to(clone)) for path in (*places, lesson.exercise)))


def _slug(word: str) -> str:
    slug = word.strip()
    if not _SLUG.fullmatch(slug) or len(slug) > _LONGEST:
        near = re.sub(r"[^a-z0-9]+", "_", re.sub(r"^[^a-zA-Z]+", "", word).lower())[:_LONGEST].strip("_")
        hint = f", such as {near}" if _SLUG.fullmatch(near) else ", such as gathered_loss"
        raise KitError(
            f"{word!r} is no name for a lesson: take small letters, digits and _, at most {_LONGEST}{hint}."
        )
    taken = next((it.name for it in lessons() if it.slug == slug), "")
    if taken:
        raise KitError(f"there is a lesson {taken} already: choose another name.")
    return slug


def _next_number() -> int:
    number = max((int(it.number) for it in lessons()), default=0) + 1
    if number > 99:
        raise KitError("the course has 99 lessons, and their names have two digits.")
    return number


def _places(lesson: Lesson) -> dict[Path, str]:
    """Where each template goes."""
    answers = answers_folder() / lesson.name
    return {
        lesson.task: "task.py",
        lesson.before: "before.py",
        lesson.after: "after.py",
        lesson.folder / "diff.toml": "diff.toml",
        solutions_folder() / lesson.name / "exercise.py": "exercise.py",
        lesson.graded: "graded.py",
        answers / "right_as_the_story_tells.py": "right.py",
        answers / "wrong_unprepared_loader.py": "wrong.py",
    }


def _write(path: Path, text: str) -> None:
    """Raises FileExistsError rather than overwrite."""
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
