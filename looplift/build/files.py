"""A lesson's files: are they all there, and is each what its name says?"""

from __future__ import annotations

import ast
from pathlib import Path

from looplift.build.problem import Problem
from looplift.build.source import source_path
from looplift.lesson import Lesson


def check_files(lesson: Lesson) -> list[Problem]:
    """Files that are missing, and Python files that are not Python. Raises LessonError outside a clone."""
    return [*_missing(lesson), *_unparsable(lesson)]


def python_files(lesson: Lesson) -> list[tuple[Path, str]]:
    """Each of the lesson's Python files, answers left out, and where it lies in a clone."""
    return [
        *(
            (path, f"lessons/{lesson.name}/{path.name}")
            for path in (lesson.task, lesson.before, lesson.after)
        ),
        (source_path(lesson), f"solutions/{lesson.name}/exercise.py"),
        (lesson.graded, f"tests/graded/{lesson.graded.name}"),
    ]


def _missing(lesson: Lesson) -> list[Problem]:
    exercise = (lesson.exercise, f"lessons/{lesson.name}/{lesson.exercise.name}")
    return [
        Problem(
            lesson.name,
            f"{path.name} is missing",
            where,
            f"Run `looplift build {lesson.number}`, which makes it."
            if path == lesson.exercise
            else "Write it.",
        )
        for path, where in (*python_files(lesson), exercise)
        if not path.is_file()
    ]


def _unparsable(lesson: Lesson) -> list[Problem]:
    problems = []
    for path, where in python_files(lesson):
        try:
            ast.parse(path.read_bytes())
        except FileNotFoundError:
            continue
        except SyntaxError as error:
            what = f"{path.name} is not Python: {error.msg}"
            problems.append(Problem(lesson.name, what, f"{where}, line {error.lineno}", "Mend its syntax."))
        except (OSError, ValueError) as error:  # a folder, a null byte
            problems.append(
                Problem(lesson.name, f"{path.name} cannot be read: {error}", where, "Save it as UTF-8.")
            )
    return problems
