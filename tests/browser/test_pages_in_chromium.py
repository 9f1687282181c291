"""The pages that looplift writes, opened in a real browser from the file system."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from classroom_cases import HALF, hand_in, judge, notebook, released_course, verdict
from conftest import Open, Opened
from playwright.sync_api import Page
from typer.testing import CliRunner

from looplift.classroom import feedback, grade_course
from looplift.commands import app
from looplift.lesson import find_lesson, lessons
from looplift.verdict.page import verdict_html

FRAME = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A verdict</title><style>:root {{ color-scheme: light dark }}</style></head>
<body><main><h1>A verdict</h1>
{}
</main></body></html>
"""
SITE = (
    "site/index.html",
    "site/01_first_loop/index.html",
    "site/01_first_loop/diff.html",
    "site/01_first_loop/steps.html",
    "site/mistakes/index.html",
    "site/mistakes/unprepared-loader.html",
)
KINDS = ("diff.html", "stages.html", "verdict.html", *SITE)
every_kind = pytest.mark.parametrize("kind", KINDS)
both_faces = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
every_width = pytest.mark.parametrize("width", [1280, 390])


def written(*arguments: str) -> None:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Path:
    """A folder with one page of each kind, and the site."""
    folder = tmp_path_factory.mktemp("pages")
    written("diff", "1", "--html", str(folder / "diff.html"))
    written("diff", "1", "--stages", "--html", str(folder / "stages.html"))
    written("site", str(folder / "site"))
    shown = verdict_html(verdict(find_lesson("01"), "half"))
    (folder / "verdict.html").write_text(FRAME.format(shown), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def feedback_page(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Path:
    """What a student gets back through nbgrader."""
    course = released_course(tmp_path_factory.mktemp("feedback"))
    hand_in(course, "ann", notebook(HALF))
    grade_course(course, judge)
    assert feedback(course) == []
    return course.folder / "feedback" / "ann" / "01_first_loop" / "exercise.html"


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def quiet(opened: Opened) -> None:
    """Nothing went wrong, and nothing was asked for outside the file system."""
    assert opened.errors == []
    assert opened.left == []


def grave(page: Page, context: str | None = None) -> list[str]:
    """What axe calls serious or critical, each with the first place and its reason; and missing landmarks."""
    found: list[dict[str, Any]] = Axe().run(page, context=context).response["violations"]
    landmarks = ("region", "landmark-one-main", "page-has-heading-one", "bypass")
    return [
        f"{it['id']}: {it['nodes'][0]['target']} {it['nodes'][0]['failureSummary']}"
        for it in found
        if it["impact"] in ("serious", "critical") or (context is None and it["id"] in landmarks)
    ]


def sides(page: Page) -> list[dict[str, float]]:
    """Boxes of the code cells of a changed row on a page: before, after."""
    row = page.locator("tr.changed:visible")
    for _ in range(page.locator(".stage").count()):  # the first steps may only add lines
        if row.count() == 0:
            page.locator("#next-stage").click()
    row = row.first
    row.scroll_into_view_if_needed()
    boxes = [row.locator(f"td.{side}:not(.number)").bounding_box() for side in ("left", "right")]
    assert all(boxes)
    return [dict(it) for it in boxes if it]


@pytest.mark.parametrize("kind", ["diff.html", "stages.html", SITE[1], SITE[2], SITE[3]])
def test_both_columns_are_side_by_side_on_a_wide_screen(pages: Path, open_page: Open, kind: str) -> None:
    with open_page(width=1280) as opened:
        before, after = sides(opened.go(pages / kind))
        assert before["y"] == after["y"]
        assert before["x"] + before["width"] <= after["x"]
        assert min(before["width"], after["width"]) >= 300
        assert after["x"] + after["width"] <= 1280


@pytest.mark.parametrize("kind", ["diff.html", "stages.html", SITE[1], SITE[2], SITE[3]])
def test_both_programs_stand_below_one_another_on_a_phone(pages: Path, open_page: Open, kind: str) -> None:
    with open_page(width=390) as opened:
        before, after = sides(opened.go(pages / kind))
        assert before["y"] + before["height"] <= after["y"]
        assert min(before["width"], after["width"]) >= 240
        assert max(it["x"] + it["width"] for it in (before, after)) <= 390


@every_width
@every_kind
def test_a_page_fits_its_window_is_quiet_and_asks_for_nothing(
    pages: Path, open_page: Open, kind: str, width: int
) -> None:
    with open_page(width=width) as opened:
        assert overflow(opened.go(pages / kind)) <= 0
        quiet(opened)
        assert opened.asked == [(pages / kind).as_uri()]


@both_faces
@every_kind
def test_axe_finds_nothing_serious_and_no_missing_landmark(
    pages: Path, open_page: Open, kind: str, dark: bool
) -> None:
    with open_page(dark=dark) as opened:
        page = opened.go(pages / kind)
        assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is dark
        assert grave(page) == []


def test_the_arrow_keys_and_the_buttons_go_through_the_stages(pages: Path, open_page: Open) -> None:
    with open_page() as opened:
        page = opened.go(pages / "stages.html")
        number, last = page.locator("#stage-number"), page.locator(".stage").count()
        assert last >= 3
        heads = [page.locator(".stage-title").nth(at).text_content() for at in range(last)]
        assert len(set(heads)) == last

        def at(stage: int) -> None:
            assert number.text_content() == heads[stage]
            assert page.locator(".stage:visible").count() == 1
            assert page.locator(".stage").nth(stage).is_visible()

        at(0)
        page.keyboard.press("ArrowRight")
        at(1)
        page.keyboard.press("ArrowRight")
        at(2)
        page.keyboard.press("ArrowLeft")
        at(1)
        page.locator("#next-stage").click()
        at(2)
        page.locator("#previous-stage").click()
        at(1)
        for _ in range(last + 2):
            page.keyboard.press("ArrowRight")
        at(last - 1)
        assert page.url.endswith(f"#stage-{last}")
        assert page.locator("#next-stage").get_attribute("aria-disabled") == "true"
        quiet(opened)


def test_larger_text_grows_the_page_and_still_fits(pages: Path, open_page: Open) -> None:
    with open_page(width=390) as opened:
        page = opened.go(pages / "site/index.html")
        size = "parseFloat(getComputedStyle(document.body).fontSize)"
        before = page.evaluate(size)
        page.locator("#larger-text").check()
        assert page.evaluate(size) == 1.5 * before
        assert overflow(page) <= 0


@every_width
def test_every_page_of_the_site_is_reached_by_links_and_opens(
    pages: Path, open_page: Open, width: int
) -> None:
    site = pages / "site"
    waiting, seen = [(site / "index.html").as_uri()], set()
    with open_page(width=width) as opened:
        page = opened.page
        while waiting:
            address = waiting.pop()
            if address in seen:
                continue
            seen.add(address)
            page.goto(address)
            assert page.locator("main h1, header h1").count() == 1, address
            assert overflow(page) <= 0, address
            found = page.evaluate("[...document.querySelectorAll('a[href]')].map((it) => it.href)")
            waiting += [it for link in found if (it := urldefrag(link).url).endswith(".html")]
        quiet(opened)
    opened_files = {Path(unquote(urlsplit(it).path)) for it in seen}
    assert opened_files == set(site.rglob("*.html"))
    assert len(seen) >= 1 + 3 * len(lessons())


def test_the_table_on_a_feedback_page_can_be_read_by_everyone(feedback_page: Path, open_page: Open) -> None:
    with open_page(width=1280) as opened:
        page = opened.go(feedback_page)
        assert page.locator(".looplift-checks").count() >= 5
        assert page.get_by_text("the train loader was not passed to prepare").first.is_visible()
        assert grave(page, ".looplift-verdict") == []
        quiet(opened)
