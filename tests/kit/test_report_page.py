"""The report as a page and on the screen: everything a student wrote is text, every bar stands in words too."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

from reported import a_class, entry, screen
from rich.console import Console

from looplift.report import Report, Student
from looplift.report.chart import bar, distribution, in_words
from looplift.report.page import report_page
from looplift.report.tally import lesson_report
from looplift.report.text import show_report
from looplift.verdict import CheckResult, Finding, Verdict

PAGE = report_page(a_class())


class Seen(HTMLParser):
    """Tags and attributes of a page, and its text without styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] != "style":
            self.text.append(data)


def seen(page: str) -> Seen:
    it = Seen()
    it.feed(page)
    return it


def test_the_page_asks_for_nothing_and_runs_nothing() -> None:
    tags = seen(PAGE).tags
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in tags}
    assert not [name for _, attrs in tags for name in attrs if name.startswith("on")]
    assert [
        attrs["href"] for tag, attrs in tags if tag == "a" and not str(attrs["href"]).startswith("#")
    ] == []
    assert "default-src 'none'" in PAGE
    assert "url(" not in PAGE


def test_names_and_lines_of_students_are_text() -> None:
    assert "<script>" not in PAGE
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in PAGE
    assert "for batch in train_loader:  # 반복" in PAGE


def test_every_link_in_the_page_leads_somewhere() -> None:
    tags = seen(PAGE).tags
    ids = {attrs["id"] for _, attrs in tags if attrs.get("id")}
    wanted = [str(attrs["href"])[1:] for tag, attrs in tags if tag == "a"]
    wanted += [it for _, attrs in tags for it in str(attrs.get("aria-labelledby") or "").split()]
    assert len(wanted) >= 6
    assert set(wanted) <= ids


def test_the_chart_says_in_words_what_it_shows() -> None:
    lesson = a_class().lessons[0]
    assert distribution(lesson) == [0, 0, 2, 0, 0, 0, 0, 0, 1, 1]
    words = "2 with 1.4 to under 2.1 points; 1 with 5.6 to under 6.3 points; 1 with 6.3 and more points."
    assert in_words(lesson, distribution(lesson)) == words
    assert f'<desc id="lesson-1-words">{words}</desc>' in PAGE
    assert '<svg viewBox="0 0 400 120" role="img" aria-labelledby="lesson-1-title lesson-1-words">' in PAGE


def test_a_bar_is_hidden_from_screen_readers_as_its_number_stands_beside_it() -> None:
    assert bar(3, 4, "of") == (
        '<span class="bar" aria-hidden="true"><span class="of" style="inline-size:75.0%"></span></span>'
    )
    assert "inline-size:0.0%" in bar(1, 0, "of")
    assert re.search(r"<td>3 of 4</td><td><span class=\"bar\"", PAGE)


def test_a_lesson_that_nobody_handed_in_has_no_chart_and_no_tables() -> None:
    part = PAGE[PAGE.index('id="lesson-2"') : PAGE.index('id="together"')]
    assert "0 of 5 handed in." in part
    assert "<table" not in part and "<svg" not in part


def test_a_course_without_assignments_is_a_page_too() -> None:
    assert "No assignment is in the gradebook yet." in report_page(Report("term", (), ()))


def test_a_line_is_never_wider_than_the_terminal() -> None:
    for width in (40, 60, 90, 200):
        lines = screen(width).splitlines()
        assert max(map(len, lines)) <= min(width, 100)
        assert len(lines) > 30


def test_a_mistake_without_a_place_says_what_was_seen() -> None:
    raised = Finding("raised", saw="a cell raised ZeroDivisionError: division by zero")
    check = CheckResult("loads", "the notebook runs", 1.0, 0.0, "mend", raised)
    made = entry(Student("ann"), Verdict("01_first_loop", "exercise.ipynb", (check,)))
    report = Report("term", (made.student,), (lesson_report("01_first_loop", 1.0, [made]),))
    out = io.StringIO()
    show_report(report, Console(file=out, width=80, color_system=None))
    words = " ".join(out.getvalue().split())
    assert (
        "1 raised: The function stopped with an error ann a cell raised ZeroDivisionError: division by zero"
        in words
    )
    assert "0 of 1 .......... the notebook runs, 0 of 1 point" in words


def test_a_terminal_that_has_only_ascii_gets_only_ascii() -> None:
    assert screen(60, "ascii").isascii()
    assert "# \\ubc18\\ubcf5" in " ".join(screen(100, "ascii").split())
