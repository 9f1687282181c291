"""The student's notebook: the instructor's, through the preprocessors of `nbgrader generate_assignment`."""

from __future__ import annotations

from typing import Any

from nbgrader.nbgraderformat import ValidationError
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
)

from looplift.build.source import BuildError, as_json, read_source, source_path
from looplift.lesson import Lesson

# nbgrader.converters.GenerateAssignment.preprocessors, in its order, without those that need a course folder:
# IncludeHeaderFooter and InstantiateTests (course settings), SaveCells (the gradebook).
# Checksums come again after the hidden tests are taken out, as nbgrader does it.
STEPS = (
    LockCells,
    ClearSolutions,
    ClearOutput,
    CheckCellMetadata,
    ComputeChecksums,
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
    CheckCellMetadata,
)


def build_lesson(lesson: Lesson) -> str:
    """The student's notebook as JSON: stub for solution, cells locked, checksums, no outputs.

    Raises BuildError when the source is missing or nbgrader refuses it.
    """
    notebook, resources = read_source(lesson), dict[str, Any]()
    for step in STEPS:
        try:
            notebook, resources = step().preprocess(notebook, resources)
        except (RuntimeError, ValueError, ValidationError) as error:
            raise BuildError(
                f"nbgrader's {step.__name__} refuses {source_path(lesson)}: {error}. "
                "Look at that cell's nbgrader metadata and its BEGIN/END SOLUTION lines."
            ) from error
    return as_json(notebook)


def stale(lesson: Lesson) -> bool:
    """True when the committed exercise.ipynb is missing or not what the source gives.

    Raises BuildError as `build_lesson` does.
    """
    built = build_lesson(lesson)
    return not lesson.exercise.is_file() or lesson.exercise.read_text(encoding="utf-8") != built
