"""The step that stands where nbgrader's Execute does: a verdict, written into the graded cells."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from traitlets import Bool

from looplift.classroom.course import open_course
from looplift.classroom.handin import Handin
from looplift.classroom.marking import Marking, mark
from looplift.classroom.outputs import cell_outputs, summary_output
from looplift.classroom.verdicts import unjudged, verdict_for
from looplift.classroom.warmth import require_sandbox, warm_judges
from looplift.pool import Judges

HANDIN, MARKING = "looplift_handin", "looplift_marking"  # what the steps of one conversion hand on


class Judge(NbGraderPreprocessor):
    """Asks for the verdict on a submission, outside any process that runs its code, and writes it down.

    Nothing of the notebook is executed here. What `MendingExporter` left alone is no lesson of ours and is
    executed as nbgrader does.
    """

    sandbox = Bool(
        True, help="Enclose each run of a submission; False runs what students wrote without."
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        handin = resources.get(HANDIN)
        if handin is None:
            return _execute(self, nb, resources)
        resources[MARKING] = marking = getattr(self.parent.parent, "marking", None) or _marking(self, handin)
        write(nb, marking)
        return nb, resources


def write(nb: NotebookNode, marking: Marking) -> None:
    """Replace every output of a notebook by what the verdict says; number cells as a run of all does."""
    marks = {mark.cell.grade_id: mark for mark in marking.marks}
    number = 0
    answered = False
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        number += 1
        cell.execution_count = number
        cell.outputs = []
        marked = cell.metadata.get("nbgrader", {})
        if marked.get("grade_id") in marks:
            cell.outputs = cell_outputs(marks[marked["grade_id"]], marking.verdict)
        elif marked.get("solution") and not answered:
            cell.outputs = [summary_output(marking)]
            answered = True
    nb.metadata["looplift"] = {"lesson": marking.handin.lesson, "recorded": marking.fingerprint}


def _marking(step: Judge, handin: Handin) -> Marking:
    coursedir = step.parent.parent.coursedir
    course = open_course(Path(coursedir.root))
    lesson = course.lesson(handin.assignment)
    if lesson is None:
        return mark(handin, unjudged(handin, f"the lesson {handin.lesson} is not installed here"))
    return mark(handin, verdict_for(course, lesson, handin, _judges(step.sandbox)))


@lru_cache
def _judges(sandbox: bool) -> Judges:
    """Warm judges for all that this process converts, ended with it. Raises CourseError where none are to be had."""
    if sandbox:
        require_sandbox("set c.Judge.sandbox = False in nbgrader_config.py")
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(warm_judges(1, sandbox))


def _execute(step: Judge, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
    """Run a notebook that is not ours, as nbgrader's own configuration would."""
    execute = Execute(parent=step.parent)
    return execute.preprocess(nb, resources) if execute.enabled else (nb, resources)
