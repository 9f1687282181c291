"""The diff in a notebook: found by the notebook's folder, shown as a table and as text."""

import re

import pytest
from bs4 import BeautifulSoup

import looplift
from looplift.diff import diff_programs
from looplift.diff.notebook import DiffView, show_diff
from looplift.diff.terminal import render
from looplift.lesson import LessonError

DIFF = diff_programs(
    "loss.backward()\n", "accelerator.backward(loss)\n", "01 first_loop", ("before.py", "after.py")
)


def test_the_view_is_a_table_and_plain_text():
    bundle = DiffView(DIFF)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle["text/plain"] == repr(DiffView(DIFF)) == render(DIFF, width=100)
    assert bundle["text/html"] == DiffView(DIFF)._repr_html_()


def test_the_fragment_marks_words_and_brings_no_ids_that_could_clash():
    fragment = BeautifulSoup(DiffView(DIFF)._repr_html_(), "html.parser")
    assert [mark.get_text() for mark in fragment.find_all("mark")] == ["loss", "accelerator", "loss"]
    assert fragment.select("[id]") == []
    assert fragment.find_all(["html", "head", "body", "script", "a"]) == []


def test_the_fragments_style_reaches_nothing_outside_it():
    style = BeautifulSoup(DiffView(DIFF)._repr_html_(), "html.parser").find("style")
    assert style is not None
    rules = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@[^{]*\{", "", style.get_text()))
    assert len(rules) > 20
    for selectors in rules:
        assert all(".looplift-diff" in selector for selector in selectors.split(",")), selectors


def test_a_notebook_in_a_folder_named_after_a_lesson_need_not_say_which(tmp_path, monkeypatch):
    inside = tmp_path / "01_first_loop" / "deeper"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert show_diff().diff.title == "01 first_loop"


def test_a_lesson_can_be_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        show_diff("3").diff.title == looplift.show_diff("03_honest_metrics").diff.title == "03 honest_metrics"
    )


def test_below_the_table_of_a_lesson_stands_why_each_change_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    view = show_diff("01_first_loop")
    listed = BeautifulSoup(view._repr_html_(), "html.parser").select("ol.looplift-notes li")
    assert [item.get_text() for item in listed] == [f"{it.title}. {it.sentence}" for it in view.notes]
    assert len(listed) == 8
    assert "<ol" not in DiffView(DIFF)._repr_html_()


def test_elsewhere_the_message_says_what_to_type(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LessonError, match=r'say which you mean, as in show_diff\("01_first_loop"\)'):
        show_diff()


def test_a_word_that_names_no_lesson_is_answered_with_those_there_are():
    with pytest.raises(LessonError, match="There are: 01_first_loop"):
        show_diff("quantum")
