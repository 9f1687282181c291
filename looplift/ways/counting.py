"""Run one program and count: the statements of its `train`, and those of them that run for every batch.

Called as `python -m looplift.ways.counting PROGRAM OUT [ARGUMENT...]`; leaves its numbers in OUT as JSON.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import runpy
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any


def statements(source: str, function: str = "train") -> list[int]:
    """First lines of the statements of a function, its docstring left out. Raises ValueError when it is not there."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            return sorted({it.lineno for part in body for it in ast.walk(part) if isinstance(it, ast.stmt)})
    raise ValueError(f"it has no function {function}")


class Counting:
    """How often each statement of a program's `train` ran, and how many optimizer steps were taken meanwhile."""

    def __init__(self, program: Path) -> None:
        self.program = str(program)
        self.lines = set(statements(program.read_text(encoding="utf-8")))
        self.ran: Counter[int] = Counter()
        self.steps = 0

    def enter(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        """Follow the frames of `train` only, so that the rest runs at full speed."""
        code = frame.f_code
        return self._line if code.co_filename == self.program and code.co_name == "train" else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "line" and frame.f_lineno in self.lines:
            self.ran[frame.f_lineno] += 1
        return self._line

    def stepped(self, *_: Any) -> None:
        self.steps += 1

    def found(self, said: str) -> dict[str, Any]:
        from accelerate.state import PartialState

        each = [line for line, times in self.ran.items() if self.steps and times >= self.steps]
        return {
            "statements": len(self.lines),
            "each_batch": len(each),
            "steps": self.steps,
            "any_device": bool(PartialState._shared_state),
            "said": said.strip().splitlines()[-1:] or [""],
        }


def main(program: str, out: str, *arguments: str) -> None:
    """Run the program as a reader starts it; what it prints is kept, not shown."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    path = Path(program).resolve()
    counting = Counting(path)
    register_optimizer_step_post_hook(counting.stepped)
    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path), *arguments]
    sys.dont_write_bytecode = True
    said = io.StringIO()
    sys.settrace(counting.enter)
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.settrace(None)
    Path(out).write_text(json.dumps(counting.found(said.getvalue())), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
