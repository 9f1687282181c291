"""Notebook lines that are not Python: taken out, line for line, and reported."""

from __future__ import annotations

import ast
import re

from looplift.submission.cell import UNPARSABLE

_LINE = re.compile(r"^(?P<indent>\s*)(?P<what>[%!].*)$")
_ASSIGNED = re.compile(r"^(?P<indent>\s*)(?P<target>[\w.,\s]+?)\s*=\s*(?P<what>[%!].*)$")
_HELP = re.compile(r"^(?P<indent>\s*)(?P<what>\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")
_LONGEST = 1000  # characters of a line
_KEEP_BODY = {"time", "timeit", "capture", "prun"}


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except UNPARSABLE:
        return False
    return True


def without_magics(source: str) -> tuple[str, list[tuple[int, str]]]:
    """Source with magics, shell lines and `?` help replaced by `pass`, and what was taken out: (line, text).

    The number of lines stays as it was. `%%time` and its like lose their first line, `%%bash` and its like the
    whole cell. Python that parses is returned untouched, so a `%` inside a string is safe.
    """
    first = source.lstrip("\n")
    if first.startswith("%%"):
        start = len(source) - len(first)
        lines = source.split("\n")
        row = source[:start].count("\n")
        taken = [(row + 1, lines[row].strip()[:_LONGEST])]
        word = lines[row][2:].split()[0] if lines[row][2:].split() else ""
        if word in _KEEP_BODY:
            body, more = without_magics("\n".join(["pass" if i == row else it for i, it in enumerate(lines)]))
            return body, taken + more
        return "\n".join("" for _ in lines), taken
    if _parses(source):
        return source, []
    taken = []
    lines = source.split("\n")
    for i, line in enumerate(lines):
        if len(line) > _LONGEST:  # no magic is so long, and patterns take the square of it
            continue
        for pattern, with_target in ((_LINE, False), (_ASSIGNED, True), (_HELP, False)):
            found = pattern.match(line)
            if found:
                indent = found["indent"]
                lines[i] = f"{indent}{found['target'].strip()} = None" if with_target else f"{indent}pass"
                taken.append((i + 1, found["what"].strip()))
                break
    replaced = "\n".join(lines)
    return replaced, taken
