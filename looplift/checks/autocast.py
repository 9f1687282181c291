"""What the text says about precision: the launcher's argument, and the loss in an autocast block.

Behaviour has judged by then. The syntax tree only finds the line to show.
"""

from __future__ import annotations

import ast

from looplift.checks.lines import name_of
from looplift.submission import Submission
from looplift.verdict import Place


def launcher_argument(submission: Submission) -> Place | None:
    """The line of a launch that is given `mixed_precision`."""
    for cell, node in submission.nodes():
        if isinstance(node, ast.Call) and name_of(node.func) == "notebook_launcher":
            given = next((it for it in node.keywords if it.arg == "mixed_precision"), None)
            if given is not None:
                return submission.place_of(cell, given.value)
    return None


def _autocast(node: ast.AST) -> bool:
    """A `with` that turns autocast on, as far as the text tells."""
    if not isinstance(node, (ast.With, ast.AsyncWith)):
        return False
    calls = (it.context_expr for it in node.items)
    return any(
        isinstance(it, ast.Call)
        and name_of(it.func) == "autocast"
        and "enabled" not in {k.arg for k in it.keywords}
        for it in calls
    )


def inside_autocast(submission: Submission) -> Place | None:
    """The line in an autocast block that takes a loss."""
    for cell, node in submission.nodes():
        if not _autocast(node):
            continue
        for inner in ast.walk(node):
            named = isinstance(inner, ast.Call) and (
                "loss" in name_of(inner.func) or "entropy" in name_of(inner.func)
            )
            kept = isinstance(inner, ast.Assign) and any(
                "loss" in getattr(target, "id", "") for target in inner.targets
            )
            if named or kept:
                return submission.place_of(cell, inner)
    return None
