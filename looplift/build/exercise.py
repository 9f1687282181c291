"""Is an exercise notebook complete: cells, ids, hints, and a check cell for each graded test?"""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from looplift.build.problem import Problem
from looplift.lesson import Lesson

NEEDED_CELLS = ("setup", "given", "plain", "answer", "launch")
HINT = re.compile(r"<summary>\s*Hint (\d+)")
CHECK = re.compile(r'check\("(\w+)", training_loop\)')
HARDEST = 5


def check_exercise(lesson: Lesson) -> list[Problem]:
    """What the committed notebook lacks. Raises LessonError when there is none or it cannot be read."""
    cells = lesson.notebook["cells"]
    return [
        *_about(lesson),
        *_ids(lesson, cells),
        *_leftovers(lesson, cells),
        *_hints(lesson, cells),
        *_check_cells(lesson, cells),
    ]


def _about(lesson: Lesson) -> list[Problem]:
    """Title, minutes, difficulty and what it teaches stand in the header."""
    about, step = lesson.about, "Give it under looplift: in the source's header."
    wrong = [key for key in ("title", "teaches") if not about.get(key)]
    if about.get("lesson") != lesson.name:
        wrong.append("lesson")
    if not _between(about.get("minutes"), 1, 600):
        wrong.append("minutes")
    if not _between(about.get("difficulty"), 1, HARDEST):
        wrong.append("difficulty")
    where = "exercise.py, header"
    return [Problem(lesson.name, f"`{key}` is missing or makes no sense", where, step) for key in wrong]


def _between(value: Any, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high


def _ids(lesson: Lesson, cells: list[dict[str, Any]]) -> list[Problem]:
    """Each cell has an id, each code cell a grade_id, and the cells that the grader asks for are there."""
    problems = []
    for position, cell in enumerate(cells, 1):
        where = f"exercise.ipynb, cell {position}"
        if not cell.get("id"):
            problems.append(Problem(lesson.name, "a cell has no id", where, "Run `looplift build`."))
        if cell["cell_type"] == "code" and not _grade_id(cell):
            step = "Give it nbgrader metadata with a grade_id in the source."
            problems.append(Problem(lesson.name, "a code cell has no grade_id", where, step))
    have = [_grade_id(cell) for cell in cells]
    for needed in NEEDED_CELLS:
        if needed not in have:
            step = "Write it: the grader and the reader expect it."
            problems.append(Problem(lesson.name, f"there is no cell `{needed}`", "exercise.py", step))
    return problems


def _grade_id(cell: Mapping[str, Any]) -> str:
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def _leftovers(lesson: Lesson, cells: list[dict[str, Any]]) -> list[Problem]:
    """Nothing in the student's notebook that was run, and nothing of the solution."""
    problems = []
    for position, cell in enumerate(cells, 1):
        where = f"exercise.ipynb, cell {position}"
        if cell.get("outputs") or cell.get("execution_count") is not None:
            step = "Commit what `looplift build` writes, not a notebook that was run."
            problems.append(Problem(lesson.name, "outputs are committed", where, step))
        if "BEGIN SOLUTION" in "".join(cell["source"]):
            step = "Run `looplift build`: students must not get it."
            problems.append(Problem(lesson.name, "the solution is in the student's notebook", where, step))
        if _grade_id(cell) == "answer" and "raise NotImplementedError" not in "".join(cell["source"]):
            step = "Put ### BEGIN SOLUTION and ### END SOLUTION around the body in the source."
            problems.append(Problem(lesson.name, "the answer cell is no stub", where, step))
    return problems


def _hints(lesson: Lesson, cells: list[dict[str, Any]]) -> list[Problem]:
    """Three levels, folded away, in their order."""
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    levels = HINT.findall(text)
    if levels == ["1", "2", "3"] and text.count("<details>") == text.count("</details>") >= 3:
        return []
    what = f"hints {', '.join(levels) or 'none'}, not 1, 2, 3"
    step = "Fold each level in <details><summary>Hint N: ...</summary> ... </details>, nearly-code last."
    return [Problem(lesson.name, what, "exercise.py", step)]


def _check_cells(lesson: Lesson, cells: list[dict[str, Any]]) -> list[Problem]:
    """One check cell for each graded test, with its points, and the other way round."""
    graded = [cell for cell in cells if cell.get("metadata", {}).get("nbgrader", {}).get("grade")]
    problems, shown = [], dict[str, float]()
    for cell in graded:
        name, where = _grade_id(cell), f"exercise.ipynb, cell {_grade_id(cell)}"
        called = CHECK.fullmatch("".join(cell["source"]).strip())
        if not called or name != f"check-{called.group(1)}":
            step = f'Write `check("{name.removeprefix("check-")}", training_loop)` in a cell check-<name>.'
            problems.append(Problem(lesson.name, "a graded cell is not one check", where, step))
            continue
        shown[called.group(1)] = float(cell["metadata"]["nbgrader"]["points"])
    if not graded:
        step = "Add one for each graded test."
        problems.append(Problem(lesson.name, "there is no check cell", "exercise.py", step))
    if not lesson.graded.is_file():
        return problems  # reported once, by selfcheck
    try:
        tests = graded_tests(lesson)
    except (Exception, SystemExit) as error:  # whatever an author's test file raises while it is imported
        what = f"the graded tests cannot be imported: {type(error).__name__}: {error}"
        return [*problems, Problem(lesson.name, what, lesson.graded.name, "Mend the file.")]
    return problems + _compare(lesson, shown, tests)


def graded_tests(lesson: Lesson) -> dict[str, Callable[..., object]]:
    """The lesson's graded tests by name, without their `test_`. Raises what importing them raises."""
    spec = importlib.util.spec_from_file_location(f"looplift_graded_{lesson.name}", lesson.graded)
    if spec is None or spec.loader is None:
        raise ImportError(f"{lesson.graded} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    functions = {name: it for name, it in vars(module).items() if inspect.isfunction(it)}
    return {name.removeprefix("test_"): it for name, it in functions.items() if name.startswith("test_")}


def _compare(
    lesson: Lesson, shown: Mapping[str, float], tests: Mapping[str, Callable[..., object]]
) -> list[Problem]:
    problems = []
    for name, points in shown.items():
        where = f"exercise.ipynb, cell check-{name}"
        if name not in tests:
            step = f"Write it in {lesson.graded.name}, or take the cell away."
            problems.append(Problem(lesson.name, f"there is no graded test test_{name}", where, step))
            continue
        given = getattr(tests[name], "points", None)
        if given is None:
            step = "Put @points(n) above it."
            problems.append(Problem(lesson.name, f"test_{name} gives no points", lesson.graded.name, step))
        elif float(given) != points:
            what = f"the cell gives {points:g} points, test_{name} {float(given):g}"
            problems.append(Problem(lesson.name, what, where, "Make them equal."))
    for name in sorted(set(tests) - set(shown)):
        step = f'Add a cell check-{name} with `check("{name}", training_loop)` to exercise.py.'
        problems.append(
            Problem(lesson.name, f"test_{name} stands in no check cell", lesson.graded.name, step)
        )
    return problems
