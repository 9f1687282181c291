"""Links in what we write: files and headings that are not there, addresses that are none, kinds without a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import mistune

from looplift.build.problem import Problem
from looplift.kinds import has_page

_HTML_LINK = re.compile(r"""\b(?:href|src)\s*=\s*["']([^"']*)["']""")
_HTML_ID = re.compile(r"""\b(?:id|name)\s*=\s*["']([^"']*)["']""")
_EXPLAIN = re.compile(r"\blooplift explain ([a-z][a-z0-9_-]*|M\d\d)\b")
_EMPHASIS = re.compile(r"[*`]")


@dataclass(frozen=True)
class Text:
    """A text in Markdown. lesson: whose problem its problems are. path: the file that it stands in; where: the same,
    for people.

    folder: where its links start. within: a folder that they must not lead out of, or None.
    """

    lesson: str
    where: str
    path: Path
    markdown: str
    folder: Path
    within: Path | None = None


def check_links(text: Text) -> list[Problem]:
    """Dead links, each once, in their order."""
    page = _Page(text.markdown)
    problems = []
    for url in dict.fromkeys(page.links):
        wrong = _wrong(url, text, page)
        if wrong:
            problems.append(Problem(text.lesson, wrong[0], _line(text, url), wrong[1]))
    for code in page.code:
        problems += check_explained(text, code)
    return problems


def check_explained(text: Text, said: str) -> list[Problem]:
    """Each `looplift explain ID` in `said` has its page."""
    step = "Write the id of a page: `looplift explain` lists them."
    return [
        Problem(text.lesson, f"no kind of mistake is called {word!r}", _line(text, f"explain {word}"), step)
        for word in dict.fromkeys(_EXPLAIN.findall(said))
        if not has_page(word) and not word.startswith("M")
    ]


def _wrong(url: str, text: Text, page: _Page) -> tuple[str, str] | None:
    """(what is wrong with a link, what to do), None when nothing is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return f"{url!r} is no address", "Mend it."
    if parts.scheme in ("http", "https"):
        good = re.fullmatch(r"[^\s.]+(\.[^\s.]+)+", parts.netloc) and not re.search(r"\s", url)
        return None if good else (f"{url!r} is no address", "Mend it.")
    if parts.scheme == "mailto":
        return None
    if parts.scheme or parts.netloc:
        return f"{url!r} is no address that a browser opens", "Link to https, or to a file of the course."
    if not parts.path:
        known = _anchors(page)
        return _no_heading(url, text.path.name) if _plain(parts.fragment) not in known else None
    target = (text.folder / unquote(parts.path)).resolve()
    if text.within is not None and not target.is_relative_to(text.within.resolve()):
        return f"{url!r} leads out of what students have", "Link to a lesson's file, or to https."
    if not target.exists():
        return f"the link to {url!r} is dead", "Mend it, or write the file."
    if parts.fragment and target.suffix == ".md":
        other = _Page(target.read_text(encoding="utf-8", errors="replace"))
        if _plain(parts.fragment) not in _anchors(other):
            return _no_heading(url, target.name)
    return None


def _no_heading(url: str, name: str) -> tuple[str, str]:
    return f"{name} has no heading for the link to {url!r}", "Write it as the heading is now."


def _line(text: Text, words: str) -> str:
    """The file and, where the words can be found in it, their line."""
    lines = (
        text.path.read_text(encoding="utf-8", errors="replace").splitlines() if text.path.is_file() else []
    )
    number = next((at for at, line in enumerate(lines, 1) if words in line), 0)
    return f"{text.where}, line {number}" if number else text.where


def _anchors(page: _Page) -> set[str]:
    return {_plain(it) for it in page.heads} | {_plain(it) for it in page.ids}


def _plain(heading: str) -> str:
    """A heading or an anchor made of it, as GitHub, Jupyter and our own site have them, without their differences."""
    return re.sub(r"[^\w]+", "-", unquote(_EMPHASIS.sub("", heading)).lower()).strip("-")


class _Page:
    """What a Markdown text holds: addresses of links and pictures, headings, ids, and code."""

    def __init__(self, markdown: str) -> None:
        self.links: list[str] = []
        self.heads: list[str] = []
        self.ids: list[str] = []
        self.code: list[str] = []
        parse: Any = mistune.create_markdown(renderer="ast", plugins=["table", "strikethrough"])
        for token in _tokens(parse(markdown)):
            kind = token["type"]
            if kind in ("link", "image"):
                self.links.append(unquote(token["attrs"]["url"]))
            elif kind == "heading":
                self.heads.append("".join(it.get("raw", "") for it in _tokens(token.get("children", []))))
            elif kind in ("codespan", "block_code"):
                self.code.append(token["raw"])
            elif kind in ("inline_html", "block_html"):
                self.links += _HTML_LINK.findall(token["raw"])
                self.ids += _HTML_ID.findall(token["raw"])


def _tokens(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from _tokens(node.get("children", []))
