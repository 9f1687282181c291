"""Moves between devices made by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.checks.endings import trained
from looplift.checks.points import Mend
from looplift.evidence import Run
from looplift.submission import Cell
from looplift.verdict import Finding, Place

WHAT = {"batch": "a batch", "tensor": "a tensor"}


def _ran(run: Run) -> Iterator[tuple[str, str, Place | None]]:
    """Moves that were made: what, where to, where. A constant moved to accelerator.device is right, and so is a
    result brought to the CPU by name."""
    for event in run.of("move"):
        if event["by_accelerator"] or (event["what"] == "tensor" and event["to"] == "cpu"):
            continue
        what = WHAT.get(event["what"], f"the {event['what']}")
        yield what, event["to"], run.place(event["where"])


def _written(run: Run) -> Iterator[tuple[str, str, Place | None]]:
    """Moves in branches that this machine never enters: `.cuda()`, `.to("cuda")`."""
    for cell, node in run.submission.nodes():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        first = node.args[0] if node.args else None
        named = isinstance(first, ast.Constant) and str(first.value).startswith(("cuda", "mps", "xpu"))
        if node.func.attr == "cuda" or (node.func.attr == "to" and named):
            device = str(first.value) if isinstance(first, ast.Constant) and named else "cuda"
            yield (
                _text(cell, node.func.value),
                device,
                run.submission.place_of(cell, node),
            )


def _text(cell: Cell, node: ast.expr) -> str:
    """What is moved, as it is written; ast.unparse would not bear an expression that is nested without end."""
    return (ast.get_source_segment(cell.source, node) or "a tensor").split("\n")[0][:60]


def no_manual_moves(run: Run) -> None:
    """No line of the student's moves the model or a batch to a device. Raises Mend at the first that does."""
    trained(run)
    for what, to, place in (*_ran(run), *_written(run)):
        raise Mend(
            Finding(
                "manual-move",
                f"{what} is moved to the device {to} by hand",
                expected="no .to(device) or .cuda(): prepare moves the model and every batch",
                so="the loop is tied to a device that the Accelerator did not choose for this process",
                where=place,
                next="take the move out; for a constant of your own use .to(accelerator.device)",
            )
        )
