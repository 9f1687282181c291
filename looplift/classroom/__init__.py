"""A class: its nbgrader course directory, its submissions graded and recorded, its feedback and grades."""

from __future__ import annotations

from typing import Any

from looplift.classroom.course import Course, CourseError, make_course, open_course

__all__ = [
    "Course",
    "CourseError",
    "Event",
    "Row",
    "Trouble",
    "export",
    "feedback",
    "grade_course",
    "make_course",
    "open_course",
    "release",
]

_ROOMS = {
    "Event": "event",
    "Trouble": "event",
    "Row": "grade",
    "grade_course": "grade",
    "export": "pages",
    "feedback": "pages",
    "release": "pages",
}


def __getattr__(name: str) -> Any:
    """Load what needs nbgrader only when it is asked for: importing nbgrader takes a second."""
    if name not in _ROOMS:
        raise AttributeError(f"module 'looplift.classroom' has no attribute {name!r}")
    import importlib

    _import_jsonschema()
    return getattr(importlib.import_module(f"looplift.classroom.{_ROOMS[name]}"), name)


def _import_jsonschema() -> None:
    """Import it without the grammar of internationalised web addresses, which takes 3 s and no notebook needs.

    jsonschema looks whether the package with that grammar is there, and leaves out that one format when it is not.
    """
    import sys

    grammar = "rfc3987_syntax"
    if grammar in sys.modules or "jsonschema" in sys.modules:
        return
    sys.modules[grammar] = None  # type: ignore[assignment]
    try:
        import jsonschema  # noqa: F401
    finally:
        del sys.modules[grammar]
