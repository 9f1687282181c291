"""A submission: its code cells, each with the name it is compiled under."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from looplift.verdict import Place, Remark

# What `ast.parse` raises: a NUL byte is a ValueError, brackets without end are a MemoryError or a RecursionError.
UNPARSABLE = (SyntaxError, ValueError, MemoryError, RecursionError)

LONGEST_LINE = 300  # characters of a student's line that are shown
MOST_REMARKS = 50


class SubmissionError(Exception):
    """A submission that cannot be read. `reason` says why and what to do, in one sentence."""

    def __init__(self, id: str, reason: str) -> None:
        super().__init__(reason)
        self.id = id
        self.reason = reason


@dataclass(frozen=True)
class Cell:
    """One code cell.

    source: Python, magics already taken out, the line count kept. name: compile name, unique in the process.
    number: as in `In [7]` after run-all, None in a script. first_line: line of the file at which it starts, minus one.
    role: `given` (the lesson's own), `answer` (the graded cell), `own` (anything else the student wrote).
    """

    source: str
    name: str
    role: str
    number: int | None = None
    first_line: int = 0

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax tree, lines as in the file; None when the source does not parse."""
        try:
            tree = ast.parse(self.source, self.name)
        except UNPARSABLE:
            return None
        if self.first_line:
            ast.increment_lineno(tree, self.first_line)
        return tree

    def remember(self) -> None:
        """Let tracebacks and `inspect` find the source."""
        lines = ["\n"] * self.first_line + self.source.splitlines(keepends=True)
        linecache.cache[self.name] = (len(self.source), None, lines, self.name)


@dataclass(frozen=True)
class Submission:
    """What a student handed in. file: name to show. cells: in order. remarks: what was skipped while reading."""

    file: str
    cells: tuple[Cell, ...]
    remarks: tuple[Remark, ...] = ()
    flag: str = ""
    _by_name: dict[str, Cell] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "remarks", self.remarks[:MOST_REMARKS])
        self._by_name.update({cell.name: cell for cell in self.cells})

    @property
    def written(self) -> tuple[Cell, ...]:
        """The cells that the student wrote."""
        return tuple(cell for cell in self.cells if cell.role != "given")

    @property
    def names(self) -> frozenset[str]:
        """Compile names of the cells that the student wrote."""
        return frozenset(cell.name for cell in self.written)

    def place(self, name: str, line: int) -> Place | None:
        """Where a compile name and line lie for the student; None when it is not their code."""
        cell = self._by_name.get(name)
        if cell is None or line < 1:
            return None
        lines = cell.source.splitlines()
        index = line - 1 - cell.first_line
        text = lines[index].strip()[:LONGEST_LINE] if 0 <= index < len(lines) else ""
        return Place(self.file, line, cell.number, text)

    def nodes(self) -> Iterator[tuple[Cell, ast.AST]]:
        """Every syntax node that the student wrote, cell by cell."""
        for cell in self.written:
            if cell.tree is not None:
                for node in ast.walk(cell.tree):
                    yield cell, node

    def place_of(self, cell: Cell, node: ast.AST) -> Place | None:
        return self.place(cell.name, getattr(node, "lineno", 0))
