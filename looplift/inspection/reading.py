"""What reading a script comes to: data first, text and JSON are made from it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from looplift.verdict import Place

FORMAT = 1


@dataclass(frozen=True)
class Found:
    """One thing to change. kind: the id of its page. level: `wrong` in a script that uses Accelerate, `change` in one
    that does not yet."""

    level: str
    kind: str
    where: Place
    saw: str
    next: str


@dataclass(frozen=True)
class Unsaid:
    """Something that the text cannot tell, and the lines that it is about."""

    question: str
    kind: str = ""
    lines: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What was read. uses: `accelerate`, `plain` (a loop of its own), `trainer` (a library's), `nothing`."""

    file: str
    uses: str
    found: tuple[Found, ...]
    unknown: tuple[Unsaid, ...]
    format: int = FORMAT

    def to_json(self) -> str:
        """Machine-readable, one object."""
        raw: dict[str, Any] = asdict(self)
        return json.dumps(raw, ensure_ascii=False, indent=1)
