"""The hints of a lesson, as they stand folded away in its exercise notebook."""

from __future__ import annotations

import re
from dataclasses import dataclass

from looplift.lesson import Lesson

_HINT = re.compile(
    r"<details>\s*<summary>\s*Hint (?P<level>\d+)(?::\s*(?P<title>.*?))?\s*</summary>(?P<text>.*?)</details>",
    re.DOTALL,
)


@dataclass(frozen=True)
class Hint:
    """One level. text: Markdown, as the notebook holds it. of: how many levels the lesson has."""

    level: int
    of: int
    title: str
    text: str


def hints_of(lesson: Lesson) -> list[Hint]:
    """The hints in their order; none when the notebook has none."""
    cells = lesson.notebook["cells"]
    story = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    found = sorted(_HINT.finditer(story), key=lambda it: int(it["level"]))
    return [
        Hint(at, len(found), (it["title"] or "").strip(), it["text"].strip())
        for at, it in enumerate(found, 1)
    ]
