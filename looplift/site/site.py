"""A static site of the whole course: no server, no network, no solutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from looplift import __version__
from looplift.diff import diff_lesson
from looplift.diff.document import page_rules, policy, stage_script
from looplift.diff.notes import lesson_notes
from looplift.diff.page import diff_page
from looplift.diff.stagepage import stage_page, stages_html
from looplift.diff.stages import Stage, stages_of
from looplift.diff.style import page_style
from looplift.diff.table import table_html
from looplift.lesson import Lesson
from looplift.site.folder import write_files
from looplift.site.mistakes import Mistake, mistakes
from looplift.site.story import code_html, markdown_html, story

_RULES = Path(__file__).with_name("site.css")


@dataclass(frozen=True)
class Written:
    """What a site holds. index: the page to open."""

    index: Path
    lessons: int
    mistakes: int


def write_site(out: Path, lessons: Sequence[Lesson]) -> Written:
    """Write the site of these lessons, in their order, to the folder `out`.

    Raises KitError when `out` holds something that is not such a site, LessonError when a lesson cannot
    be read, OSError when nothing can be written there.
    """
    kinds = mistakes()
    files: dict[str, str | bytes] = {
        "index.html": _page("index.html", "", "", lessons=lessons, mistakes=kinds)
    }
    for at, lesson in enumerate(lessons):
        near = {
            "earlier": lessons[at - 1] if at else None,
            "later": lessons[at + 1] if at + 1 < len(lessons) else None,
        }
        files |= _lesson_files(lesson, near)
    if kinds:
        title = "Kinds of mistakes"
        files["mistakes/index.html"] = _page("mistakes.html", title, "../", mistakes=kinds)
        for kind in kinds:
            page = _page(
                "mistake.html", kind.title, "../", mistake=kind, lessons=_named(kind, lessons),
                code=lambda *said: Markup(code_html(*said)), prose=lambda text: Markup(markdown_html(text)),
            )  # fmt: skip
            files[f"mistakes/{kind.id}.html"] = page
    write_files(out, files)
    return Written(out / "index.html", len(lessons), len(kinds))


def _lesson_files(lesson: Lesson, near: dict[str, Lesson | None]) -> dict[str, str | bytes]:
    """The pages of one lesson, and the files that a student downloads."""
    diff = diff_lesson(lesson)
    notes = lesson_notes(lesson, diff)
    stages = stages_of(diff, notes)
    whole = f'<div class="looplift-diff">\n{table_html(diff, linked=False)}\n</div>'
    told = story(
        lesson, f'<div class="programs">\n{stages_html(stages, level=3) if stages else whole}\n</div>'
    )
    script = stage_script() if stages else ""
    downloads = [
        path.name for path in (lesson.exercise, lesson.before, lesson.after, lesson.task) if path.is_file()
    ]
    page = _page(
        "lesson.html", lesson.title, "../", script=script, lesson=lesson, story=Markup(told.html), heads=told.heads,
        downloads=downloads, stages=len(stages), **near,
    )  # fmt: skip
    files: dict[str, str | bytes] = {
        "index.html": page,
        "diff.html": diff_page(diff, notes, home="index.html"),
        **_steps(lesson, stages),
        **{name: (lesson.folder / name).read_bytes() for name in downloads},
    }
    return {f"{lesson.name}/{name}": content for name, content in files.items()}


def _steps(lesson: Lesson, stages: Sequence[Stage]) -> dict[str, str]:
    title = f"{lesson.number} {lesson.slug}"
    return {"steps.html": stage_page(title, stages, home="index.html")} if stages else {}


def _named(kind: Mistake, lessons: Sequence[Lesson]) -> list[Lesson]:
    return [lesson for lesson in lessons if kind.taught_in(lesson)]


def _page(template: str, title: str, root: str, script: str = "", **content: Any) -> str:
    """One page. title: of the page, "" for the course's own. root: the way to the site's first folder."""
    made = Environment(
        loader=PackageLoader("looplift.site"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    ).get_template(template)  # fmt: skip
    style = f"{page_style()}\n{page_rules()}\n{_RULES.read_text(encoding='utf-8').strip()}"
    return made.render(
        title=title, root=root, style=Markup(style), script=Markup(script), policy=policy(script),
        version=__version__, **content,
    )  # fmt: skip
