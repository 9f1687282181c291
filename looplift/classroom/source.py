"""The source notebook of an assignment: the instructor's version where there is one."""

from __future__ import annotations

import copy
import json
import re

from looplift.lesson import Lesson, LessonError, solutions_folder

_STUB = re.compile(
    r"^(?P<indent>[ \t]*)# YOUR CODE HERE\n[ \t]*raise NotImplementedError\(\)[ \t]*$", re.MULTILINE
)


def source_notebook(lesson: Lesson) -> str:
    """A lesson's notebook for a course's `source/` folder, as JSON.

    In a clone: with the solution. From a wheel, which has no solutions: the notebook that students get, its
    stub marked, so that `nbgrader generate_assignment` releases that same notebook.
    """
    try:
        has_source = (solutions_folder() / lesson.name / "exercise.py").is_file()
    except LessonError:
        has_source = False
    if has_source:
        from looplift.build import instructor_notebook  # imports nbgrader: a second

        return instructor_notebook(lesson)
    return student_version(lesson)


def student_version(lesson: Lesson) -> str:
    """The students' notebook, its stub between solution marks.

    Without them nbgrader would replace the whole answer cell, `def training_loop` included.
    """
    notebook = copy.deepcopy(lesson.notebook)
    for cell in notebook["cells"]:
        if cell.get("metadata", {}).get("nbgrader", {}).get("solution"):
            source = "".join(cell["source"])
            cell["source"] = _STUB.sub(_marked, source)
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _marked(stub: re.Match[str]) -> str:
    indent = stub["indent"]
    return f"{indent}### BEGIN SOLUTION\n{stub[0]}\n{indent}### END SOLUTION"
