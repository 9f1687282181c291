"""Every change of a lesson has one sentence that says why, in its margin."""

import re

import pytest
from bs4 import BeautifulSoup

from looplift.diff import diff_lesson, diff_programs
from looplift.diff.notes import Note, change_blocks, lesson_notes, note_problems
from looplift.diff.page import diff_page
from looplift.lesson import Lesson, LessonError, lessons

BEFORE = "device = cpu()\nmodel.to(device)\nfor x in data:\n    loss.backward()\n"
AFTER = "accelerator = Accelerator()\nfor x in data:\n    accelerator.backward(loss)\n"
DIFF = diff_programs(BEFORE, AFTER, "07 made_up", ("before.py", "after.py"))
GOOD = """
[[step]]
title = "Make it"
after = "Accelerator()"
note = "It shares the work."

[[step]]
title = "Move nothing"
before = "model.to"
note = "Nothing is moved by hand."

[[step]]
title = "Go backward"
after = "accelerator.backward"
note = "It scales the loss."
"""


def made_up(tmp_path, toml: str) -> Lesson:
    (tmp_path / "diff.toml").write_text(toml, encoding="utf-8")
    return Lesson("07_made_up", tmp_path, tmp_path / "test_07.py")


@pytest.mark.parametrize("lesson", lessons(), ids=lambda it: it.name)
def test_in_a_lesson_every_change_has_one_note_and_every_note_a_change(lesson):
    diff = diff_lesson(lesson)
    assert note_problems(lesson, diff) == []
    notes = lesson_notes(lesson, diff)
    explained = sorted((block for note in notes for block in note.blocks), key=lambda it: it.start)
    assert explained == change_blocks(diff)
    assert len(explained) >= len(notes) >= 5
    changed = {at for at, row in enumerate(diff.rows) if row.kind != "same"}
    assert {at for block in explained for at in block} == changed


@pytest.mark.parametrize("lesson", lessons(), ids=lambda it: it.name)
def test_a_note_is_one_short_sentence_under_a_title_of_its_own(lesson):
    notes = lesson_notes(lesson, diff_lesson(lesson))
    assert len({note.title for note in notes}) == len(notes)
    for note in notes:
        assert note.sentence.endswith(".")
        assert not re.search(r"[.!?] [A-Z]", note.sentence), note.sentence
        assert len(note.sentence) <= 170, note.sentence
        assert len(note.title) <= 40, note.title


def test_a_removed_line_and_an_added_one_that_are_unlike_are_two_changes():
    assert [row.kind for row in DIFF.rows] == ["removed", "removed", "added", "same", "changed"]
    assert change_blocks(DIFF) == [range(2), range(2, 3), range(4, 5)]


def test_notes_keep_the_order_of_the_file_and_know_their_rows(tmp_path):
    assert lesson_notes(made_up(tmp_path, GOOD), DIFF) == (
        Note("Make it", "It shares the work.", (range(2, 3),)),
        Note("Move nothing", "Nothing is moved by hand.", (range(2),)),
        Note("Go backward", "It scales the loss.", (range(4, 5),)),
    )


def test_one_note_may_explain_the_same_change_in_two_places(tmp_path):
    diff = diff_programs("f(x.to(d))\na()\nf(y.to(d))\n", "f(x)\na()\nf(y)\n")
    lesson = made_up(tmp_path, '[[step]]\ntitle = "Move"\nbefore = ".to(d)"\nnote = "Gone."\n')
    (note,) = lesson_notes(lesson, diff)
    assert note.blocks == tuple(change_blocks(diff))
    assert len(note.blocks) == 2


def test_a_lesson_without_the_file_has_no_notes_and_is_told_to_an_author(tmp_path):
    lesson = Lesson("07_made_up", tmp_path, tmp_path / "test_07.py")
    assert lesson_notes(lesson, DIFF) == ()
    (problem,) = note_problems(lesson, DIFF)
    assert problem.startswith("There is no diff.toml")


WRONG = [
    (GOOD.replace('"model.to"', '"data.to"'), "No changed line of before.py holds 'data.to' (step 'Move nothing')."),
    (GOOD.replace('"model.to"', '"data.to"'), "The change at before.py, line 1 has no note: it needs one."),
    (GOOD.replace("accelerator.backward", "for x"), "No changed line of after.py holds 'for x' (step 'Go backward')."),
    (
        GOOD + '\n[[step]]\ntitle = "Again"\nafter = "Accelerator()"\nnote = "Twice."\n',
        "The change at after.py, line 1 has 2 notes (Make it, Again): it needs one.",
    ),
    (GOOD.replace('after = "Accelerator()"', ""), "Step 1 needs a title, a note, and words of the change"),
    (GOOD.replace("work.", "work"), "The note of step 1 is not a sentence"),
    (GOOD.replace('"It shares the work."', '""'), "Step 1 has a key without a text."),
    (GOOD.replace("after = ", "afterwards = ", 1), "Step 1 has the unknown key 'afterwards'"),
    ("step = 1", "Write each step below a line [[step]]."),
    ("[[step", "It is not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("toml", "said"), WRONG, ids=[said[:45] for _, said in WRONG])
def test_what_is_wrong_with_the_notes_is_said_in_a_sentence(tmp_path, toml, said):
    lesson = made_up(tmp_path, toml)
    assert any(problem.startswith(said) for problem in note_problems(lesson, DIFF))
    with pytest.raises(LessonError, match="does not fit 07_made_up"):
        lesson_notes(lesson, DIFF)


def test_in_the_margin_each_note_stands_beside_its_change(tmp_path):
    page = BeautifulSoup(diff_page(DIFF, lesson_notes(made_up(tmp_path, GOOD), DIFF)), "html.parser")
    rows = page.select("tbody tr")
    beside = {at: row.select_one("td.margin") for at, row in enumerate(rows) if row.select("td.margin")}
    assert {at: (cell["rowspan"], cell.get_text(" ", strip=True)) for at, cell in beside.items()} == {
        0: ("4", "Move nothing . Nothing is moved by hand. Make it . It shares the work."),
        4: ("1", "Go backward . It scales the loss."),
    }
    assert sum(int(cell["rowspan"]) for cell in beside.values()) == len(rows)
    assert [head.get_text() for head in page.select("thead th")][-1] == "why"


def test_each_note_can_be_reached_by_keyboard_and_linked_to(tmp_path):
    page = BeautifulSoup(diff_page(DIFF, lesson_notes(made_up(tmp_path, GOOD), DIFF)), "html.parser")
    links = page.select("td.margin a")
    assert [link["href"] for link in links] == ["#note-1", "#note-2", "#note-3"]
    assert all(page.find(id=str(link["href"])[1:]) is link.parent for link in links)


def test_notes_are_escaped():
    page = diff_page(DIFF, [Note("<i>t</i>", "<b>s</b>.", tuple(change_blocks(DIFF)))])
    assert BeautifulSoup(page, "html.parser").find(["i", "b"]) is None


@pytest.mark.parametrize("lesson", lessons(), ids=lambda it: it.name)
def test_the_page_of_a_lesson_has_every_row_covered_by_the_margin(lesson):
    diff = diff_lesson(lesson)
    page = BeautifulSoup(diff_page(diff, lesson_notes(lesson, diff)), "html.parser")
    spans = [int(str(cell["rowspan"])) for cell in page.select("td.margin")]
    assert sum(spans) == len(diff.rows) == len(page.select("tbody tr"))
    assert len(page.select(".looplift-note")) == len(change_blocks(diff))


def test_the_page_can_be_read_from_the_last_row_of_a_hall_without_a_script():
    page = BeautifulSoup(diff_page(DIFF), "html.parser")
    box = page.select_one("label input#larger-text[type=checkbox]")
    assert box is not None
    assert "html:has(#larger-text:checked) { font-size: 150%; }" in str(page.style)
    assert "font: var(--code, 13px)/1.5" in str(page.style)


def test_a_skip_link_leads_past_the_list_of_changes():
    page = BeautifulSoup(diff_page(DIFF), "html.parser")
    first = page.select("a")[0]
    assert (first.get_text(), first["href"]) == ("Skip to the programs", "#programs")
    assert page.main is not None and (page.main["id"], page.main["tabindex"]) == ("programs", "-1")
