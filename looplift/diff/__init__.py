"""A lesson's two programs side by side: in the terminal, on a page, in a notebook."""

from looplift.diff.diff import Diff, diff_lesson, diff_programs
from looplift.diff.pairing import Line, Row
from looplift.diff.words import Span

__all__ = ["Diff", "Line", "Row", "Span", "diff_lesson", "diff_programs"]
