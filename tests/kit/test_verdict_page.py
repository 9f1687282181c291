"""A verdict as HTML: a table with words for every state, and nothing of a student's runs in it."""

import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup, Tag

from looplift.verdict import CheckResult, Finding, Place, Remark, Verdict
from looplift.verdict.page import verdict_html

FINDING = Finding(
    id="unprepared-loader",
    saw="the train loader was not passed to prepare",
    so="both processes read all 48 rows",
    expected="each process reads its own half",
    where=Place("exercise.ipynb", 14, 7, "    for batch in f('<script>alert(1)</script>'):"),
    next="prepare the loader too & loop over what comes back",
    data={"seed": 987654},
)
VERDICT = Verdict(
    lesson="01_first_loop",
    submission="anna/exercise.ipynb",
    checks=(
        CheckResult("backward", "every backward goes through the accelerator", 2.0, 2.0, "pass"),
        CheckResult("prepared", "model, optimizer and loader go through prepare", 2.0, 0.5, "mend", FINDING),
        CheckResult("one_training", "two processes train one model", 3.0, 0.0, "follows"),
    ),
    remarks=(Remark("bare-print", "both <b>processes</b> print", Place("exercise.ipynb", 9, 7, "print(x)")),),
)


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser")


def rows(html: str) -> list[list[str]]:
    """Text of every cell below the heads, a line break as |."""
    found = []
    for row in soup(html).select("tbody tr"):
        for brk in row.find_all("br"):
            brk.replace_with("|")
        found.append([cell.get_text() for cell in row.find_all(["th", "td"])])
    return found


def one(found: Tag | None) -> Tag:
    assert isinstance(found, Tag)
    return found


def test_the_table_has_a_column_for_each_thing_a_student_asks():
    heads = soup(verdict_html(VERDICT)).select("thead th[scope=col]")
    assert [it.get_text() for it in heads] == [
        "check",
        "result",
        "points",
        "saw",
        "expected",
        "where",
        "what next",
    ]


def test_each_check_is_a_row_that_says_its_state_in_words():
    assert rows(verdict_html(VERDICT)) == [
        ["every backward goes through the accelerator", "pass", "2 of 2", "", "", "", ""],
        [
            "model, optimizer and loader go through prepare",
            "MEND",
            "0.5 of 2",
            f"{FINDING.saw}|so both processes read all 48 rows",
            "each process reads its own half",
            "cell 7, line 14|for batch in f('<script>alert(1)</script>'):",
            "prepare the loader too & loop over what comes back|more: looplift explain unprepared-loader",
        ],
        [
            "two processes train one model",
            "MEND",
            "0 of 3",
            "follows from “model, optimizer and loader go through prepare”",
            "",
            "",
            "mend “model, optimizer and loader go through prepare” first",
        ],
    ]
    assert one(soup(verdict_html(VERDICT)).caption).get_text() == "01 first_loop: 2.5 of 7 points"


def test_nothing_that_a_student_wrote_becomes_html():
    html = verdict_html(VERDICT)
    assert "<script" not in html and "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "both <b>processes</b> print" in soup(html).get_text()


def test_control_characters_are_spelled_out():
    finding = replace(FINDING, where=Place("f", 1, 1, "x\x1b[0m\u202e\x00"))
    html = verdict_html(replace(VERDICT, checks=(replace(VERDICT.checks[1], finding=finding),)))
    assert r"x\x1b[0m\u202e\x00" in html
    assert not any(character in html for character in "\x1b\u202e\x00")


def test_the_values_behind_a_sentence_stay_behind_it():
    assert "987654" not in verdict_html(VERDICT)


def test_rows_are_labelled_for_a_narrow_page_and_a_screen_reader():
    html = soup(verdict_html(VERDICT))
    assert [cell["data-label"] for cell in html.select("tbody tr")[1].find_all("td")] == [
        "result",
        "points",
        "saw",
        "expected",
        "where",
        "what next",
    ]
    assert len(html.select("th[scope=row][role=rowheader]")) == 3
    assert {row["role"] for row in html.find_all("tr")} == {"row"}


def test_one_check_alone_is_one_row_without_remarks():
    html = verdict_html(VERDICT, only="backward")
    assert [row[:3] for row in rows(html)] == [
        ["every backward goes through the accelerator", "pass", "2 of 2"]
    ]
    assert one(soup(html).caption).get_text() == "01 first_loop"
    assert "print" not in soup(html).get_text().replace("@", "")


def test_a_check_alone_that_follows_says_what_to_mend_first():
    (row,) = rows(verdict_html(VERDICT, only="one_training"))
    assert row[3] == (
        "follows from “model, optimizer and loader go through prepare”"
        "|the train loader was not passed to prepare|so both processes read all 48 rows"
    )
    assert (
        row[6]
        == "prepare the loader too & loop over what comes back|more: looplift explain unprepared-loader"
    )


def test_a_check_that_the_verdict_has_not_is_answered_with_those_it_has():
    with pytest.raises(ValueError, match="has no check 'prepare'. It has: backward, prepared, one_training"):
        verdict_html(VERDICT, only="prepare")


def test_a_flag_stands_before_the_table_and_is_escaped():
    html = verdict_html(replace(VERDICT, flag="cell <answer> is doubled"), only="backward")
    flag = one(soup(html).find("p"))
    assert flag.get_text() == "FLAG for a person to look at: cell <answer> is doubled"
    assert flag.find_next("table") is not None


def test_a_verdict_without_checks_has_no_table():
    html = verdict_html(Verdict("01_first_loop", "x", (), flag="not a notebook"), only="backward")
    assert soup(html).table is None
    assert "01 first_loop: 0 of 0 points: nothing was judged" in soup(html).get_text()


def test_the_style_reaches_nothing_outside_the_fragment_and_sets_no_text_colour():
    style = one(soup(verdict_html(VERDICT)).find("style")).get_text()
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"@[^{]*\{", "", style))
    assert len(rules) > 10
    for selectors, body in rules:
        assert all(part.strip(" }\n").startswith(".looplift-verdict") for part in selectors.split(",")), (
            selectors
        )
        assert " color:" not in body.replace(" color: inherit", "")
