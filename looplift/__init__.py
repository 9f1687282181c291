"""looplift: a course kit on distributed PyTorch with Hugging Face Accelerate."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["__version__", "check", "show_diff", "show_log", "try_ways"]


def __getattr__(name: str) -> Any:
    """Load the notebook face only when it is asked for, so that commands start quickly."""
    if name == "check":
        from looplift.notebook.check import check

        return check
    if name == "show_diff":
        from looplift.diff.notebook import show_diff

        return show_diff
    if name == "try_ways":
        from looplift.ways.way import try_ways

        return try_ways
    if name == "show_log":
        from looplift.curve import show_log

        return show_log
    raise AttributeError(f"module 'looplift' has no attribute {name!r}")
