"""The report's page, opened in a real browser from the file system."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Open
from reported import a_class
from test_pages_in_chromium import both_faces, every_width, grave, overflow, quiet

from looplift.report.page import report_page


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_page(a_class()), encoding="utf-8")
    return path


@every_width
def test_the_report_fits_its_window_is_quiet_and_asks_for_nothing(
    report: Path, open_page: Open, width: int
) -> None:
    with open_page(width=width) as opened:
        page = opened.go(report)
        assert overflow(page) <= 0
        page.locator("#larger-text").check()
        assert overflow(page) <= 0
        quiet(opened)
        assert opened.asked == [report.as_uri()]


@both_faces
def test_axe_finds_nothing_serious_in_the_report(report: Path, open_page: Open, dark: bool) -> None:
    with open_page(dark=dark) as opened:
        page = opened.go(report)
        for it in page.locator("summary").all():
            it.click()
        assert grave(page) == []


def test_a_mistake_opens_by_the_keyboard_and_shows_students_and_lines(report: Path, open_page: Open) -> None:
    with open_page() as opened:
        page = opened.go(report)
        first = page.locator(".mistakes details").first
        assert not first.get_by_text("for batch in train_loader").first.is_visible()
        first.locator("summary").focus()
        page.keyboard.press("Enter")
        assert first.locator("li").count() == 2
        assert first.get_by_text("for batch in train_loader").first.is_visible()


def test_bars_are_as_long_as_their_numbers_say(report: Path, open_page: Open) -> None:
    with open_page() as opened:
        page = opened.go(report)
        shares = page.evaluate(
            "[...document.querySelectorAll('.bar > .of')].slice(0, 3).map((it) => "
            "Math.round(100 * it.getBoundingClientRect().width / it.parentElement.clientWidth))"
        )
        assert shares == [75, 50, 50]


def test_a_screen_reader_is_told_what_the_chart_shows(report: Path, open_page: Open) -> None:
    with open_page() as opened:
        page = opened.go(report)
        chart = page.get_by_role("img", name="Points in 01_first_loop 2 with 1.4 to under 2.1 points")
        assert chart.count() == 1
