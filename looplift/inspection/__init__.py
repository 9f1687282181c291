"""Reading training scripts without running them: `inspect_file(path)` says what would have to change."""

from __future__ import annotations

from looplift.inspection.inspection import inspect_file, inspect_source
from looplift.inspection.reading import Found, Reading, Unsaid
from looplift.inspection.source import Source, UnreadableError, read_text

__all__ = [
    "Found",
    "Reading",
    "Source",
    "UnreadableError",
    "Unsaid",
    "inspect_file",
    "inspect_source",
    "read_text",
]
