"""The diff as a page: whole in itself, both programs, marks, links, and readable without colours."""

import re
from html.parser import HTMLParser

from bs4 import BeautifulSoup, Tag

from looplift.diff import diff_programs
from looplift.diff.code import coloured, line_html
from looplift.diff.page import diff_page, write_page
from looplift.diff.style import BACKGROUNDS, DARK, LIGHT, TEXTS
from looplift.diff.words import Span

BEFORE = '''\
"""Show <script>alert("1 & 2")</script>
in two lines."""
model.to(device)
for batch in loader:
    loss.backward()
'''
AFTER = '''\
"""Show <script>alert("1 & 2")</script>
in two lines."""
from accelerate import Accelerator
for batch in loader:
    accelerator.backward(loss)
'''
DIFF = diff_programs(BEFORE, AFTER, "01 first_loop", ("before.py", "after.py"))
PAGE = diff_page(DIFF)


def soup(html: str = PAGE) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def one(found: Tag | None) -> Tag:
    assert isinstance(found, Tag)
    return found


def column(side: str) -> list[str]:
    return [cell.get_text() for cell in soup().select(f"td.{side}:not(.number):not(.nothing) code")]


class Balance(HTMLParser):
    """Fails on an end tag that ends something else than the last open element."""

    void = {"meta", "col", "wbr", "br", "hr", "link", "img", "input"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.closed = 0

    def handle_starttag(self, tag, attrs):
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.closed += 1


def test_the_page_is_well_formed():
    balance = Balance()
    balance.feed(PAGE)
    assert balance.open == []
    assert balance.closed > 50


def test_both_programs_stand_on_the_page_to_the_letter():
    assert column("left") == BEFORE.splitlines()
    assert column("right") == AFTER.splitlines()


def test_a_script_in_a_program_is_shown_and_never_run():
    assert soup().find("script") is None
    assert "&lt;script&gt;" in PAGE
    assert "<script" not in PAGE


def test_names_and_title_are_escaped_too():
    page = diff_page(diff_programs("a\n", "b\n", "<b>t</b>", ("<i>l</i>", "<i>r</i>")))
    assert soup(page).find(["b", "i"]) is None
    assert one(soup(page).title).get_text() == "<b>t</b>: <i>l</i> and <i>r</i>"


def test_changed_words_are_marked_on_both_sides():
    assert [mark.get_text() for mark in soup().select("td.left mark")] == ["loss"]
    assert [mark.get_text() for mark in soup().select("td.right mark")] == ["accelerator", "loss"]


def test_every_change_has_a_sign_that_is_seen_and_words_that_are_heard():
    said = []
    for row in soup().select("tbody tr:not(.same)"):
        said.append((row["class"], [it.get_text() for it in row.select(".sign, .unseen")]))
    assert said == [
        (["removed"], ["-", "removed: "]),
        (["added"], ["+", "added: "]),
        (["changed"], ["~", "changed from: ", "~", "changed to: "]),
    ]
    assert all(sign["aria-hidden"] == "true" for sign in soup().select(".sign"))
    assert soup().select("tr.same .sign, tr.same .unseen") == []


def test_every_line_can_be_linked_to():
    page = soup()
    links = page.select("td.number a")
    assert [str(link["href"]) for link in links if link.get_text() == "5"] == ["#L5", "#R5"]
    assert len(links) == len(BEFORE.splitlines()) + len(AFTER.splitlines())
    assert all(page.find(id=str(link["href"])[1:]) is link.parent for link in links)
    ids = [tag["id"] for tag in page.select("td[id]")]
    assert len(set(ids)) == len(ids) == len(links)


def test_the_page_has_landmarks_a_caption_and_column_heads():
    page = soup()
    assert one(page.html)["lang"] == "en"
    assert [len(page.find_all(tag)) for tag in ("header", "nav", "main", "h1", "table", "footer")] == [1] * 6
    assert one(page.caption).get_text().startswith("01 first_loop: 1 line changed, 1 removed, 1 added.")
    heads = page.select("th[scope=col]")
    assert [head.get_text() for head in heads] == [
        "line of before.py",
        "before.py",
        "line of after.py",
        "after.py",
    ]
    assert [link["href"] for link in page.select("nav a")] == ["#L3", "#R5"]


def test_roles_are_written_out_for_browsers_that_forget_them_in_a_grid():
    page = soup()
    assert one(page.table)["role"] == "table"
    assert {row["role"] for row in page.find_all("tr")} == {"row"}
    assert {cell["role"] for cell in page.find_all("td")} == {"cell"}


def test_the_page_asks_for_nothing_outside_itself():
    page = soup()
    assert page.find_all(["link", "img", "iframe", "script"]) == []
    assert all(str(link["href"]).startswith("#") for link in page.find_all("a"))
    assert "url(" not in PAGE and "@import" not in PAGE and "http" not in PAGE.replace("http-equiv", "")
    policy = one(page.find("meta", attrs={"http-equiv": "Content-Security-Policy"}))
    assert str(policy["content"]).startswith("default-src 'none'")


def test_the_page_has_a_dark_face_and_a_narrow_one():
    assert "@media (prefers-color-scheme: dark)" in PAGE
    assert "@container (max-width: 700px)" in PAGE
    assert (
        one(soup().find("meta", attrs={"name": "viewport"}))["content"]
        == "width=device-width, initial-scale=1"
    )


def test_equal_programs_have_no_list_of_changes():
    page = soup(diff_page(diff_programs("a = 1\n", "a = 1\n")))
    assert page.nav is None
    assert page.find("mark") is None


def test_the_page_is_written_as_utf_8(tmp_path):
    write_page(diff_page(diff_programs("# é\n", "# 반\n")), tmp_path / "diff.html")
    assert "반" in (tmp_path / "diff.html").read_text(encoding="utf-8")


def test_a_string_over_two_lines_is_a_string_in_both():
    lines = coloured(['x = """one', 'two"""'])
    strings = ["".join(piece.text for piece in line if piece.tone == "s") for line in lines]
    assert strings == ['"""one', 'two"""']


def test_a_mark_may_start_and_end_inside_a_coloured_word():
    (pieces,) = coloured(["import torch"])
    assert line_html(pieces, [Span(2, 9)]) == (
        '<span class="k">im</span><mark><span class="k">port</span> to</mark>rch'
    )


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_text_can_be_read_on_every_background():
    compared = 0
    for theme in (LIGHT, DARK):
        for text in TEXTS:
            for background in BACKGROUNDS:
                dark, light = sorted((luminance(theme[text]), luminance(theme[background])))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, background)
                compared += 1
    assert compared == 2 * 7 * 6


def test_every_colour_that_the_rules_name_is_in_both_themes():
    named = set(re.findall(r"var\(--([a-z-]+)\)", PAGE))
    assert named == set(LIGHT) == set(DARK)
