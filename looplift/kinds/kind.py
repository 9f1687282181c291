"""Pages on kinds of mistakes: one Markdown file each, in a folder for its group."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PAGES = Path(__file__).with_name("pages")
_HEAD = re.compile(r"\A---\n(?P<head>.*?)\n---\n", re.DOTALL)
_CODE = re.compile(r"\A```python\n(?P<code>.*)\n```\Z", re.DOTALL)
_SECTIONS = {
    "What happens": "happens",
    "Why": "why",
    "Wrong": "wrong",
    "Right": "right",
    "How to see it": "how_to_see",
    "Source": "source",
}


@dataclass(frozen=True)
class Group:
    """Kinds that belong together. name: its folder."""

    name: str
    title: str


# In the order in which a training meets them.
GROUPS = (
    Group("files", "The file that is handed in"),
    Group("python", "Python, before any training"),
    Group("launch", "The Accelerator and the launcher"),
    Group("prepare", "What goes through prepare"),
    Group("devices", "Devices, precision and what is done by hand"),
    Group("gradients", "Backward, gradients and steps"),
    Group("accumulation", "Gradient accumulation"),
    Group("schedule", "The learning rate"),
    Group("rows", "Who reads which rows"),
    Group("metrics", "Evaluation"),
    Group("waiting", "Processes that wait"),
    Group("output", "Printing and saving"),
    Group("tracking", "Logs and progress bars"),
)


@dataclass(frozen=True)
class Kind:
    """One kind of mistake. The texts are Markdown; wrong and right are Python, "" where code would show nothing.

    id: as a verdict and `looplift inspect` name it. number: its number in the catalogue of mistakes, such as M14,
    "" for kinds that only this kit tells apart. lessons: numbers of the lessons that teach it.
    """

    id: str
    title: str
    happens: str
    why: str
    wrong: str
    right: str
    how_to_see: str
    source: str
    lessons: tuple[str, ...]
    numbers: tuple[str, ...]
    group: Group


class UnknownKindError(Exception):
    """No page goes by that word; the text names those that come close."""


@cache
def kinds() -> tuple[Kind, ...]:
    """Every kind, group by group, in the order of their names."""
    return tuple(
        _read(path, group) for group in GROUPS for path in sorted((_PAGES / group.name).glob("*.md"))
    )


def find_kind(word: str) -> Kind:
    """The kind that a person means by its id or its number.

    Raises UnknownKindError, with close matches in one line, when there is none.
    """
    wanted = word.strip().strip("[]").lower().replace("_", "-").replace(" ", "-")
    every = kinds()
    found = next((it for it in every if wanted == it.id or wanted.upper() in it.numbers), None)
    if found is not None:
        return found
    near = difflib.get_close_matches(wanted, [it.id for it in every], n=3, cutoff=0.5)
    near += [it.id for it in every if wanted and wanted in it.id and it.id not in near][: 3 - len(near)]
    hint = f" Did you mean {_listed(near)}?" if near else ""
    raise UnknownKindError(
        f"No kind of mistake is called {word!r}.{hint} `looplift explain` lists all {len(every)}."
    )


def has_page(id: str) -> bool:
    """Whether `looplift explain` knows a kind."""
    wanted = id.replace("_", "-")
    return any(it.id == wanted for it in kinds())


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _read(path: Path, group: Group) -> Kind:
    """Read a page. Raises ValueError when it lacks something."""
    text = path.read_text(encoding="utf-8")
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"{path.name} does not begin with --- and its title")
    facts = dict(line.split(": ", 1) for line in head["head"].splitlines())
    parts = re.split(r"^## (.+)$", text[head.end() :], flags=re.MULTILINE)
    sections = {_SECTIONS[name]: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    for name in ("happens", "why", "how_to_see", "source"):
        if not sections.get(name):
            raise ValueError(f"{path.name} says nothing under {name}")
    return Kind(
        id=path.stem,
        title=facts["title"],
        lessons=_words(facts.get("lessons", "")),
        numbers=_words(facts.get("number", "")),
        group=group,
        wrong=_code(sections.pop("wrong", "")),
        right=_code(sections.pop("right", "")),
        **{name: " ".join(text.split()) for name, text in sections.items()},
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(it.strip() for it in text.split(",") if it.strip())


def _code(text: str) -> str:
    found = _CODE.match(text)
    return found["code"] if found else ""
