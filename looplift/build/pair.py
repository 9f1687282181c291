"""Is a pair of scripts a good page: short enough, and different only in what the lesson teaches?"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from looplift.build.problem import Problem
from looplift.diff.diff import diff_lesson
from looplift.diff.notes import note_problems
from looplift.lesson import Lesson, LessonError

SHORTEST, LONGEST = 40, 90
MOST_CHANGED = 0.4  # of a script's lines; beyond that the diff on the projector is two different programs
# A lesson whose story needs more says so under looplift: in its header, as `longest` and `most_changed`.
ALIKE = 0.6  # difflib's ratio, from which a line counts as the other script's version of a line


@dataclass(frozen=True)
class ChangedLine:
    """A line that only one of the two scripts has, with the statement that it belongs to.

    hunk: the place of the change; lines of both scripts with the same number stand in each other's stead.
    """

    file: str
    number: int
    text: str
    statement: str
    hunk: int


def check_pair(lesson: Lesson) -> list[Problem]:
    """Length of both scripts, whether the lesson's `changes` words explain every changed line, and its notes."""
    paths = [path for path in (lesson.before, lesson.after) if path.is_file()]
    if len(paths) < 2:
        return []  # a missing file is told once, with the files
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    problems = [it for path, text in zip(paths, texts, strict=True) for it in _length(lesson, path, text)]
    try:
        changed = list(changed_lines(*texts))
    except SyntaxError:
        return problems  # told with the files
    return problems + _unexplained(lesson, changed) + _too_much(lesson, changed, texts) + _notes(lesson)


def _notes(lesson: Lesson) -> list[Problem]:
    """Every change has its note, every note its change."""
    step = "Each change needs one step in diff.toml, and each step words of a changed line."
    try:
        said = note_problems(lesson, diff_lesson(lesson))
    except LessonError as error:
        said = [str(error)]
    return [Problem(lesson.name, f"the margin notes do not fit: {it}", "diff.toml", step) for it in said]


def changed_lines(before: str, after: str) -> Iterator[ChangedLine]:
    """Code lines that only one script has; comments, blank lines and docstrings are not code.

    Raises SyntaxError when a script is not Python.
    """
    old, new = before.splitlines(), after.splitlines()
    old_statements, new_statements = _statements(before), _statements(after)
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for hunk, (kind, old_first, old_last, new_first, new_last) in enumerate(opcodes):
        if kind != "equal":
            yield from _code("before.py", hunk, range(old_first, old_last), old, old_statements)
            yield from _code("after.py", hunk, range(new_first, new_last), new, new_statements)


def _code(
    file: str, hunk: int, touched: range, lines: Sequence[str], statements: Mapping[int, str]
) -> Iterator[ChangedLine]:
    for index in touched:
        text, statement = lines[index].strip(), statements.get(index + 1, "")
        if statement and text and not text.startswith("#"):
            yield ChangedLine(file, index + 1, text, statement, hunk)


def _statements(text: str) -> dict[int, str]:
    """For each line of code: the text of its statement; of a compound one (for, if, def) its head."""
    lines, found = text.splitlines(), dict[int, str]()
    for node in ast.walk(ast.parse(text)):  # breadth first: inner statements overwrite outer ones
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = node.end_lineno or node.lineno
        if isinstance(body, list) and body:
            last = max(node.lineno, body[0].lineno - 1)
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        statement = "" if docstring else "\n".join(lines[node.lineno - 1 : last])
        found.update(dict.fromkeys(range(node.lineno, last + 1), statement))
    return found


def _length(lesson: Lesson, path: Path, text: str) -> list[Problem]:
    count = len(text.splitlines())
    longest = int(_header(lesson, "longest", LONGEST))
    if SHORTEST <= count <= longest:
        return []
    longer = count > longest
    step = "Move what the lesson does not teach to task.py." if longer else "Tell the whole story in it."
    return [Problem(lesson.name, f"{count} lines, not {SHORTEST} to {longest}", path.name, step)]


def _header(lesson: Lesson, name: str, usual: float) -> float:
    """A number that the lesson's header gives, the usual one when it gives none."""
    try:
        given = lesson.about.get(name, usual)
    except (LessonError, AttributeError, TypeError):
        return usual  # the notebook cannot be read, which is told with the exercise
    return given if isinstance(given, (int, float)) and not isinstance(given, bool) else usual


def _unexplained(lesson: Lesson, changed: Sequence[ChangedLine]) -> list[Problem]:
    try:
        words = [str(word) for word in lesson.about.get("changes", [])]
    except (LessonError, AttributeError, TypeError):
        return []  # the notebook cannot be read, which is told with the exercise
    if not words:
        step = "List under looplift: in the source's header the words that every changed statement may hold."
        return [Problem(lesson.name, "no `changes` given", "exercise.py, header", step)]
    step = f"Make it equal in both scripts, or add a word to `changes` (now {', '.join(words)})."
    taught = [line for line in changed if any(word in line.statement for word in words)]
    return [
        Problem(lesson.name, f"the pair differs in {it.text!r} too", f"{it.file}, line {it.number}", step)
        for it in changed
        if it not in taught and not any(_versions(it, other) for other in taught)
    ]


def _versions(one: ChangedLine, other: ChangedLine) -> bool:
    """True when one line took the other's place: `loss.backward()` and `accelerator.backward(loss)`."""
    alike = difflib.SequenceMatcher(None, one.statement.strip(), other.statement.strip()).ratio() >= ALIKE
    return one.hunk == other.hunk and one.file != other.file and alike


def _too_much(lesson: Lesson, changed: Sequence[ChangedLine], texts: Sequence[str]) -> list[Problem]:
    if not changed:
        step = "Show in after.py what the lesson teaches."
        return [Problem(lesson.name, "before.py and after.py do the same", "before.py", step)]
    total = sum(len(text.splitlines()) for text in texts)
    if len(changed) <= _header(lesson, "most_changed", MOST_CHANGED) * total:
        return []
    what = f"{len(changed)} of {total} lines differ"
    return [Problem(lesson.name, what, "before.py, after.py", "Move shared lines to the same place in both.")]
