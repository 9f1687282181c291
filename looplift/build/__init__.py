"""From an exercise's source to the notebook that students get, and the course's own check of itself."""

from looplift.build.problem import Problem
from looplift.build.selfcheck import Checked, check_lesson, check_lessons
from looplift.build.source import BuildError, instructor_notebook, source_path
from looplift.build.student import build_lesson, stale

__all__ = [
    "BuildError",
    "Checked",
    "Problem",
    "build_lesson",
    "check_lesson",
    "check_lessons",
    "instructor_notebook",
    "source_path",
    "stale",
]
