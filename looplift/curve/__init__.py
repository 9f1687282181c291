"""The curves of a training, drawn from its log: `show_log(folder)` as the last line of a cell."""

from looplift.curve.view import LogView, show_log

__all__ = ["LogView", "show_log"]
