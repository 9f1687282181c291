"""The kinds of mistakes that the checks name, as the site shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from looplift.lesson import Lesson

_CODE = ("wrong", "right")  # fields of a kind that hold Python
_HEADS = {
    "happens": "What happens",
    "why": "Why",
    "wrong": "Wrong",
    "right": "Right",
    "fix": "What to do",
    "next": "What to do",
}


@dataclass(frozen=True)
class Section:
    """One part of a mistake's page. code: the text is Python, not Markdown."""

    head: str
    text: str
    code: bool


@dataclass(frozen=True)
class Mistake:
    """One kind of mistake. id: as a verdict names it. lessons: names of those that teach it."""

    id: str
    title: str
    sections: tuple[Section, ...]
    lessons: tuple[str, ...]

    def taught_in(self, lesson: Lesson) -> bool:
        return bool({lesson.name, lesson.slug, lesson.number} & set(self.lessons))


def mistakes() -> list[Mistake]:
    """Every kind that looplift.kinds tells of, in its order; none in a kit that has no such room."""
    try:
        from looplift import kinds  # type: ignore[attr-defined, unused-ignore]
    except ImportError:
        return []
    return [mistake_of(kind) for kind in kinds.kinds()]


def mistake_of(kind: Any) -> Mistake:
    """A kind as the site shows it: each of its texts, in the order of the dataclass, is a section."""
    sections = []
    for field in fields(kind):
        value = getattr(kind, field.name)
        if (
            field.name in ("id", "title", "lesson", "lessons")
            or not isinstance(value, str)
            or not value.strip()
        ):
            continue
        head = _HEADS.get(field.name, field.name.replace("_", " ").capitalize())
        sections.append(Section(head, value.strip("\n"), field.name in _CODE))
    taught = getattr(kind, "lessons", None) or getattr(kind, "lesson", None) or ()
    return Mistake(kind.id, kind.title, tuple(sections), _names(taught))


def _names(taught: str | Iterable[str]) -> tuple[str, ...]:
    return (taught,) if isinstance(taught, str) else tuple(taught)
