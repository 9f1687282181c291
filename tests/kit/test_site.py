"""The site: the whole course as pages that link to each other, need no network, and hold no solution."""

import json
import re
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest
from bs4 import BeautifulSoup, Tag
from typer.testing import CliRunner

import looplift
from looplift.commands import app
from looplift.lesson import lessons, solutions_folder
from looplift.site import write_site
from looplift.site.story import markdown_html, story

SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)\n\s*### END SOLUTION", re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("site") / "public"
    written = write_site(out, lessons())
    assert (written.index, written.lessons) == (out / "index.html", len(lessons()))
    return out


@pytest.fixture(scope="module")
def pages(site) -> dict[str, BeautifulSoup]:
    found = {
        str(path.relative_to(site)): BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for path in sorted(site.rglob("*.html"))
    }
    assert len(found) >= 1 + 3 * len(lessons())
    return found


def text(tag: Tag | None) -> str:
    assert tag is not None
    return tag.get_text(" ", strip=True)


def test_the_index_lists_the_lessons_in_order_with_what_they_take_and_teach(site, pages):
    listed = pages["index.html"].select("ol.lessons > li")
    assert [text(item.h3) for item in listed] == [f"{it.number} {it.title}" for it in lessons()]
    for item, lesson in zip(listed, lessons(), strict=True):
        about = lesson.about
        assert f"{about['minutes']} minutes, difficulty {about['difficulty']} of 5" in text(item)
        assert about["teaches"] in text(item)


def test_every_link_leads_to_something_in_the_site(site, pages):
    followed = 0
    every = pages
    for name, page in every.items():
        for link in page.select("a[href]"):
            target, _, part = str(link["href"]).partition("#")
            assert not re.match(r"[a-z]+:|/", target), f"{name}: {target} leads out of the site"
            path = (site / name).parent / unquote(target) if target else site / name
            assert path.is_file(), f"{name}: there is no {target}"
            assert site.resolve() in path.resolve().parents
            if part:
                where = every[str(path.resolve().relative_to(site.resolve()))]
                assert where.find(id=unquote(part)) is not None, f"{name}: there is no #{part} in {target}"
            followed += 1
    assert followed > 400


def test_no_page_asks_for_anything_outside_itself(site, pages):
    for name, page in pages.items():
        assert page.find_all(["link", "img", "iframe", "object", "video", "audio"]) == [], name
        assert page.select("[src], [srcset], [action]") == [], name
        style = "".join(text(it) for it in page.find_all("style"))
        assert "url(" not in style and "@import" not in style, name
        (rule,) = page.select('meta[http-equiv="Content-Security-Policy"]')
        assert str(rule["content"]).startswith("default-src 'none'"), name
        assert len(page.find_all("script")) == ("script-src" in str(rule["content"])), name


def test_every_page_has_a_language_a_title_one_h1_and_landmarks(site, pages):
    titles = set()
    for name, page in pages.items():
        assert page.html is not None and page.html["lang"] == "en"
        assert [len(page.find_all(it)) for it in ("h1", "main")] == [1, 1], name
        assert len(page.select("body > header")) == 1, name
        skip = page.select("a")[0]
        assert skip["class"] == ["skip"] and page.find(id=str(skip["href"])[1:]) is page.main, name
        names = [nav.get("aria-label") for nav in page.find_all("nav")]
        assert None not in names and len(set(names)) == len(names), name
        ids = [it["id"] for it in page.select("[id]")]
        assert len(ids) == len(set(ids)), name
        levels = [int(it.name[1]) for it in page.find_all(re.compile("^h[1-6]$"))]
        assert all(later - earlier <= 1 for earlier, later in zip(levels, levels[1:], strict=False)), name
        titles.add((name.endswith(("diff.html", "steps.html")), text(page.title)))
    assert len(titles) == len(pages)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda it: it.name)
def test_a_lesson_tells_its_story_with_code_hints_and_steps(site, pages, lesson):
    page = pages[f"{lesson.name}/index.html"]
    cells = [cell for cell in lesson.notebook["cells"] if cell["cell_type"] == "code"]
    shown = [
        "".join(cell["source"]) for cell in cells if not "".join(cell["source"]).startswith("show_diff(")
    ]
    assert [it.get_text() for it in page.select(".given code, .yours code")] == shown
    yours = page.select(".code.yours")
    assert yours and all("YOUR CODE HERE" in text(it) for it in yours)
    hints = page.select("details")
    assert len(hints) == 3 and all(not hint.has_attr("open") and len(text(hint)) > 100 for hint in hints)
    steps = page.select(".looplift-stages .stage")
    assert len(steps) >= 5 and page.find(id="next-stage") is not None
    assert page.select(".given .k") != []


@pytest.mark.parametrize("lesson", lessons(), ids=lambda it: it.name)
def test_the_exercise_can_be_downloaded_as_students_get_it(site, pages, lesson):
    link = pages[f"{lesson.name}/index.html"].select_one("a.exercise[download]")
    assert link is not None
    copy = site / lesson.name / str(link["href"])
    assert copy.read_bytes() == lesson.exercise.read_bytes()
    assert json.loads(copy.read_text(encoding="utf-8"))["nbformat"] == 4


def squeezed(source: str) -> str:
    return re.sub(r"\s+", "", source)


def test_there_is_no_solution_in_the_site(site, pages):
    solutions = []
    for lesson in lessons():
        source = (solutions_folder() / lesson.name / "exercise.py").read_text(encoding="utf-8")
        solutions += [squeezed(found) for found in SOLUTION.findall(source)]
    # A launch of two lines looks as it does in every lesson.
    solutions = [it for it in solutions if len(it) > 300]
    assert len(solutions) >= len(lessons())
    read = 0
    for path in sorted(it for it in site.rglob("*") if it.is_file()):
        raw = path.read_text(encoding="utf-8")
        seen = pages[str(path.relative_to(site))].get_text() if path.suffix == ".html" else raw
        if path.suffix == ".ipynb":
            seen = "\n".join("".join(cell["source"]) for cell in json.loads(raw)["cells"])
        assert "BEGIN SOLUTION" not in raw and "END SOLUTION" not in raw, path
        for solution in solutions:
            # the second half as well: with another beginning it would still be the solution
            assert solution not in squeezed(seen), path
            assert solution[len(solution) // 2 :] not in squeezed(seen), path
        read += 1
    assert read > 20


def test_a_site_can_be_written_again_and_what_is_gone_goes(tmp_path):
    out = tmp_path / "public"
    write_site(out, lessons())
    (out / "notes.txt").write_text("mine")
    first, *_ = lessons()
    write_site(out, [first])
    assert sorted(it.name for it in out.iterdir() if it.is_dir() and it.name != "mistakes") == [first.name]
    assert (out / "notes.txt").read_text() == "mine"
    assert len(pages_of(out).select("ol.lessons > li")) == 1


def pages_of(out: Path) -> BeautifulSoup:
    return BeautifulSoup((out / "index.html").read_text(encoding="utf-8"), "html.parser")


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("important")
    run = CliRunner().invoke(app, ["site", str(tmp_path)])
    assert run.exit_code == 2
    assert "holds files that are not a site made by looplift" in run.output
    assert run.output.count("\n") == 1
    assert [it.name for it in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_is_no_folder_for_a_site(tmp_path):
    (tmp_path / "public").write_text("")
    run = CliRunner().invoke(app, ["site", str(tmp_path / "public")])
    assert (run.exit_code, "is a file: name a folder" in run.output) == (2, True)


def test_a_list_of_files_that_leads_out_of_the_site_removes_nothing_there(tmp_path):
    (tmp_path / "public").mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "public" / ".looplift-site").write_text("../mine.txt\n")
    write_site(tmp_path / "public", lessons()[:1])
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_the_command_says_what_to_open(tmp_path):
    run = CliRunner().invoke(app, ["site", str(tmp_path / "public")])
    assert run.exit_code == 0
    assert run.output.endswith(f"open {tmp_path / 'public' / 'index.html'}\n")


@dataclass(frozen=True)
class Kind:
    id: str
    title: str
    happens: str
    wrong: str
    lessons: tuple[str, ...]


def test_each_kind_of_mistake_has_a_page_that_links_to_its_lesson(tmp_path, monkeypatch):
    made_up = types.ModuleType("looplift.kinds")
    made_up.kinds = lambda: [
        Kind("plain-backward", "A <plain> backward", "It *hangs*.", "loss.backward()", ("01",))
    ]
    monkeypatch.setitem(sys.modules, "looplift.kinds", made_up)
    monkeypatch.setattr(looplift, "kinds", made_up, raising=False)
    first, *_ = lessons()
    assert write_site(tmp_path / "public", [first]).mistakes == 1
    folder = tmp_path / "public" / "mistakes"
    page = BeautifulSoup((folder / "plain-backward.html").read_text(encoding="utf-8"), "html.parser")
    assert text(page.h1) == "A <plain> backward"
    assert [text(it.h2) for it in page.select("section")] == ["What happens", "Wrong"]
    assert text(page.em) == "hangs" and text(page.select_one(".code.example")) == "loss. backward( )"
    assert [it["href"] for it in page.select("main li a")] == [f"../{first.name}/index.html"]
    listed = BeautifulSoup((folder / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert [it["href"] for it in listed.select(".mistakes a")] == ["plain-backward.html"]
    assert pages_of(tmp_path / "public").select('a[href="mistakes/index.html"]') != []


def test_a_kit_without_kinds_has_a_site_without_them(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "looplift.kinds", None)
    monkeypatch.delattr(looplift, "kinds", raising=False)
    assert write_site(tmp_path / "public", lessons()[:1]).mistakes == 0
    assert not (tmp_path / "public" / "mistakes").exists()
    assert "mistakes" not in str(pages_of(tmp_path / "public").main)


def test_headings_get_ids_of_their_own_and_start_below_the_title():
    told = BeautifulSoup(markdown_html("# Title\n\n## Loop `x`\n\n## Loop x\n\ntext"), "html.parser")
    assert [(it.name, it["id"]) for it in told.find_all(["h1", "h2"])] == [
        ("h2", "loop-x"),
        ("h2", "loop-x--2"),
    ]


def test_a_lesson_that_shows_no_diff_gets_it_at_the_end():
    first, *_ = lessons()
    first.notebook["cells"] = [{"cell_type": "markdown", "source": ["## Only text"], "metadata": {}}]
    told = story(first, "<p>steps</p>")
    assert told.html.endswith("<p>steps</p>")
    assert told.heads == (("only-text", "Only text"),)
