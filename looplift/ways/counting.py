"""Run one program and count: the statements of its `train`, and those of them that run for every batch.

Called as `python -m looplift.ways.counting PROGRAM OUT [ARGUMENT...]`; leaves its numbers in OUT as JSON. The program
is run with a call before each statement of `train` that counts it: a tracer would slow down all the libraries, too.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import types
from collections import Counter
from pathlib import Path
from typing import Any

_COUNT = "__looplift_ran__"


def train_of(tree: ast.Module) -> ast.FunctionDef:
    """The function `train` of a program. Raises ValueError when there is none."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "train":
            return node
    raise ValueError("it has no function train")


def statements(function: ast.FunctionDef) -> list[int]:
    """First lines of its statements, the docstring left out."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return sorted({it.lineno for part in body for it in ast.walk(part) if isinstance(it, ast.stmt)})


class _Counted(ast.NodeTransformer):
    """Puts a counting call before each statement of every block."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(
                    node, name, [it for statement in block for it in (_call(statement.lineno), statement)]
                )
        return node


def _call(line: int) -> ast.stmt:
    call = ast.parse(f"{_COUNT}({line})").body[0]
    for node in ast.walk(call):
        ast.copy_location(
            node, ast.Constant(None, lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)
        )
    return call


class Counting:
    """A program, how often each statement of its `train` ran, and how many optimizer steps were taken meanwhile."""

    def __init__(self, program: Path) -> None:
        tree = ast.parse(program.read_text(encoding="utf-8"), str(program))
        self.lines = statements(train_of(tree))
        _Counted().visit(train_of(tree))
        self.code = compile(tree, str(program), "exec")
        self.ran: Counter[int] = Counter()
        self.steps = 0

    def run(self) -> str:
        """Run it as `__main__`. Gives what it printed."""
        main = types.ModuleType("__main__")
        main.__dict__.update({"__file__": self.code.co_filename, _COUNT: self._ran})
        sys.modules["__main__"] = main
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(self.code, main.__dict__)
        return said.getvalue()

    def _ran(self, line: int) -> None:
        self.ran[line] += 1

    def stepped(self, *_: Any) -> None:
        self.steps += 1

    def found(self, said: str) -> dict[str, Any]:
        """What `Way` holds, but for the name."""
        from accelerate.state import PartialState

        each = [line for line in self.lines if self.steps and self.ran[line] >= self.steps]
        return {
            "statements": len(self.lines),
            "each_batch": len(each),
            "steps": self.steps,
            "any_device": bool(PartialState._shared_state),
            "said": (said.strip().splitlines() or [""])[-1],
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
    Path(out).write_text(json.dumps(counting.found(counting.run())), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
