"""A diff: two programs side by side, as data that every picture of it is made from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from looplift.diff.pairing import Kind, Line, Row, pair_lines
from looplift.lesson import Lesson, LessonError

_TAB = 4


@dataclass(frozen=True)
class Diff:
    """Two programs side by side. title: what they are; the names head the two columns."""

    title: str
    left_name: str
    right_name: str
    rows: tuple[Row, ...]

    @property
    def left(self) -> list[Line]:
        return [row.left for row in self.rows if row.left is not None]

    @property
    def right(self) -> list[Line]:
        return [row.right for row in self.rows if row.right is not None]

    @property
    def differs(self) -> bool:
        return any(row.kind != "same" for row in self.rows)

    def count(self, kind: Kind) -> int:
        """How many rows are of this kind."""
        return sum(row.kind == kind for row in self.rows)

    @property
    def summary(self) -> str:
        """One sentence part, such as `3 lines changed, 2 removed, 1 added`."""
        if not self.differs:
            return "the two programs are equal"
        changed = self.count("changed")
        lines = "line" if changed == 1 else "lines"
        return f"{changed} {lines} changed, {self.count('removed')} removed, {self.count('added')} added"


def diff_programs(
    before: str, after: str, title: str = "", names: tuple[str, str] = ("before", "after")
) -> Diff:
    """The diff of two program texts. Tabs count as four columns."""
    return Diff(title, names[0], names[1], pair_lines(_lines(before), _lines(after)))


def diff_lesson(lesson: Lesson) -> Diff:
    """The diff of a lesson's before.py and after.py.

    Raises LessonError when either of them cannot be read.
    """
    return diff_programs(
        _read(lesson, lesson.before),
        _read(lesson, lesson.after),
        title=f"{lesson.number} {lesson.slug}",
        names=(lesson.before.name, lesson.after.name),
    )


def _lines(program: str) -> list[str]:
    """Lines as an editor numbers them: str.splitlines would also break at form feeds."""
    lines = program.replace("\r\n", "\n").replace("\r", "\n").expandtabs(_TAB).split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _read(lesson: Lesson, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LessonError(
            f"{lesson.name} has no {path.name} in {path.parent}: a lesson needs before.py and after.py."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise LessonError(
            f"{path} cannot be read ({error}): it must be a text file in UTF-8 that you may read."
        ) from None
