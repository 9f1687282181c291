"""A script or notebook as one syntax tree, and where its lines lie for the person who wrote it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from looplift.submission import SubmissionError, load_notebook, without_magics
from looplift.submission.notebook import source_of
from looplift.verdict import Place

LARGEST = 2_000_000  # bytes of source


class UnreadableError(Exception):
    """A file that cannot be read. The text says why in one sentence."""


@dataclass(frozen=True)
class Source:
    """file: its name. lines: of all cells, one after the other. cells: (first line, number) of each
    cell of a notebook."""

    file: str
    tree: ast.Module
    lines: tuple[str, ...]
    cells: tuple[tuple[int, int], ...] = ()

    def place(self, node: ast.AST) -> Place:
        """Where a node lies: file, cell and line."""
        line = int(getattr(node, "lineno", 1))
        text = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        for first, number in reversed(self.cells):
            if line >= first:
                return Place(self.file, line - first + 1, number, text)
        return Place(self.file, line, None, text)


def read(path: Path) -> Source:
    """Read a .py or .ipynb file. Raises UnreadableError, its reason in one sentence, when that cannot be done."""
    if not path.is_file():
        raise UnreadableError(f"there is no file {path}.")
    if path.suffix not in (".py", ".ipynb"):
        raise UnreadableError(f"{path.name} is neither a script (.py) nor a notebook (.ipynb).")
    data = path.read_bytes()
    if path.suffix == ".ipynb":
        return _notebook(path.name, data)
    if len(data) > LARGEST:
        raise UnreadableError(f"{path.name} has {len(data) // 1_000_000} MB: that is no script.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError(f"{path.name} is not a text file in UTF-8: save it as one.") from None
    return read_text(path.name, text)


def read_text(file: str, text: str) -> Source:
    """The same for the text of a script."""
    source = _python(file, text)
    return Source(file, _parsed(file, source, ()), tuple(source.splitlines()))


def _notebook(file: str, data: bytes) -> Source:
    try:
        cells = load_notebook(data, file)
    except SubmissionError as error:
        raise UnreadableError(error.reason) from None
    lines: list[str] = []
    starts: list[tuple[int, int]] = []
    number = 0
    for cell in cells:
        if cell.get("cell_type") != "code":
            continue
        number += 1
        source = _python(file, source_of(cell))
        starts.append((len(lines) + 1, number))
        lines += source.split("\n")
    found = tuple(starts)
    return Source(file, _parsed(file, "\n".join(lines), found), tuple(lines), found)


def _python(file: str, text: str) -> str:
    """The text without what only a notebook knows."""
    try:
        return without_magics(text)[0]
    except (RecursionError, MemoryError):
        raise UnreadableError(f"{file} is nested too deeply to be followed.") from None


def _parsed(file: str, source: str, cells: tuple[tuple[int, int], ...]) -> ast.Module:
    try:
        return ast.parse(source, file)
    except SyntaxError as error:
        at = Source(file, ast.Module([], []), tuple(source.splitlines()), cells)
        place = at.place(ast.Constant(0, lineno=error.lineno or 1, col_offset=0))
        cell = f"cell {place.cell}, " if place.cell is not None else ""
        raise UnreadableError(
            f"{file}, {cell}line {place.line} is not valid Python ({error.msg}): {place.source}"
        ) from None
    except (RecursionError, MemoryError):
        raise UnreadableError(f"{file} is nested too deeply to be followed.") from None
    except ValueError as error:  # a NUL byte
        raise UnreadableError(f"{file} cannot be read as Python: {error}.") from None
