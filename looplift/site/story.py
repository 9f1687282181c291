"""The story of a lesson: its exercise notebook as HTML, with given code coloured and hints folded."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any

import mistune

from looplift.diff.code import coloured, line_html
from looplift.lesson import Lesson

_SHOW_DIFF = re.compile(r"^show_diff\(.*\)$", re.DOTALL)


@dataclass(frozen=True)
class Story:
    """html: the cells, in order. heads: id and text of each second-level heading."""

    html: str
    heads: tuple[tuple[str, str], ...]


def story(lesson: Lesson, diff_html: str) -> Story:
    """The cells of the exercise as students get it, without the notebook's own title.

    diff_html: stands in the place of the cell that shows the lesson's diff, or at the end.
    """
    page = _Page()
    render = mistune.create_markdown(renderer=page, plugins=["table", "strikethrough"])
    parts: list[str] = []
    shown = False
    for cell in lesson.notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(f'<div class="prose">\n{render(source)}</div>')
        elif cell["cell_type"] == "code" and _SHOW_DIFF.match(source.strip()) and not shown:
            parts.append(diff_html)
            shown = True
        elif cell["cell_type"] == "code":
            yours = bool(cell.get("metadata", {}).get("nbgrader", {}).get("solution"))
            parts.append(code_html(source, "yours" if yours else "given"))
    if not shown:
        parts.append(diff_html)
    return Story("\n".join(parts), tuple(page.heads))


def markdown_html(text: str) -> str:
    """A piece of Markdown of our own as HTML; its headings start below the page's one."""
    render: Callable[[str], Any] = mistune.create_markdown(renderer=_Page(), plugins=["table"])
    return str(render(text))


def code_html(source: str, kind: str) -> str:
    """Python, coloured. kind: `given`, `yours` (the student writes there) or `example`."""
    label = '<p class="label">You write here</p>\n' if kind == "yours" else ""
    lines = "\n".join(line_html(pieces) for pieces in coloured(source.split("\n")))
    return (
        f'<div class="code {kind}">\n{label}'
        f'<pre tabindex="0" role="region" aria-label="Python code"><code>{lines}</code></pre>\n</div>'
    )


@dataclass
class _Page(mistune.HTMLRenderer):  # type: ignore[misc]
    """Renders for a page that has its own h1. Our lessons hold HTML on purpose, so it is not escaped."""

    heads: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(escape=False)

    def heading(self, text: str, level: int, **_: Any) -> str:
        if level == 1:
            return ""
        plain = re.sub(r"<[^>]+>", "", text)
        name = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "part"
        same = sum(known == name or known.startswith(f"{name}--") for known, _ in self.heads)
        name = f"{name}--{same + 1}" if same else name
        if level == 2:
            self.heads.append((name, plain))
        return f'<h{level} id="{name}">{text}</h{level}>\n'

    def block_code(self, code: str, info: str | None = None) -> str:
        code = code.rstrip("\n")
        if (info or "").strip().split(" ")[0] in ("python", "py"):
            return code_html(code, "example")
        return f'<div class="code example"><pre tabindex="0"><code>{escape(code)}</code></pre></div>\n'

    def table(self, text: str) -> str:
        return (
            f'<div class="wide" tabindex="0" role="region" aria-label="Table"><table>{text}</table></div>\n'
        )
