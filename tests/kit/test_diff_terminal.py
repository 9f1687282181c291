"""The diff in a terminal says the same with and without colours, wide and narrow."""

import io

from rich.cells import cell_len
from rich.console import Console

from looplift.diff import diff_programs
from looplift.diff.terminal import render, show

BEFORE = """\
import torch

model.to(device)
for batch in loader:
    loss.backward()
"""
AFTER = """\
import torch
from accelerate import Accelerator

for batch in loader:
    accelerator.backward(loss)
"""
DIFF = diff_programs(BEFORE, AFTER, "01 first_loop", ("before.py", "after.py"))


def printed(**settings) -> str:
    file = io.StringIO()
    show(DIFF, Console(file=file, **settings))
    return file.getvalue()


def test_wide_the_programs_stand_side_by_side_and_carets_point_at_changed_words():
    assert render(DIFF, width=80) == (
        "01 first_loop: 1 line changed, 1 removed, 1 added\n"
        "~ changed  - removed  + added  ^ changed word\n"
        "     before.py            │      after.py\n"
        "──────────────────────────┼────────────────────────────────────────\n"
        " 1   import torch         │  1   import torch\n"
        "                          │  2 + from accelerate import Accelerator\n"
        " 2                        │  3\n"
        " 3 - model.to(device)     │\n"
        " 4   for batch in loader: │  4   for batch in loader:\n"
        " 5 ~     loss.backward()  │  5 ~     accelerator.backward(loss)\n"
        "         ^^^^             │          ^^^^^^^^^^^          ^^^^"
    )


def test_narrow_there_is_one_column_with_before_above_after():
    assert render(DIFF, width=60) == (
        "01 first_loop: 1 line changed, 1 removed, 1 added\n"
        "- before  + after  ^ changed word\n"
        " 1  1   import torch\n"
        "    2 + from accelerate import Accelerator\n"
        " 2  3\n"
        " 3    - model.to(device)\n"
        " 4  4   for batch in loader:\n"
        " 5    -     loss.backward()\n"
        "            ^^^^\n"
        "    5 +     accelerator.backward(loss)\n"
        "            ^^^^^^^^^^^          ^^^^"
    )


def test_ascii_has_no_other_characters_and_says_the_same():
    diff = diff_programs('print("é")\n', 'print("日本")\n', names=("before.py", "after.py"))
    text = render(diff, width=80, style="ascii")
    assert text.isascii()
    assert r'1 ~ print("\xe9")' in text
    assert r'1 ~ print("\u65e5\u672c")' in text
    plain = render(DIFF, width=80).replace("│", "|").replace("┼", "+").replace("─", "-")
    assert render(DIFF, width=80, style="ascii") == plain


def test_no_line_is_wider_than_the_terminal():
    long = "total = " + " + ".join(f"number_{n}" for n in range(30)) + "\n"
    diff = diff_programs(long, long.replace("number_7", "数字七"), names=("before.py", "after.py"))
    widths = (40, 60, 80, 100, 140)
    for width in widths:
        lines = render(diff, width=width).split("\n")
        assert len(lines) > 4
        assert max(cell_len(line) for line in lines) <= width
    assert len(widths) == 5


def test_a_long_line_breaks_between_words_and_loses_nothing():
    line = "optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)"
    diff = diff_programs(line, line + "  # as before")
    pieces = [piece.split("│")[0][5:] for piece in render(diff, width=80).split("\n")[4:]]
    assert "".join(piece.rstrip(" ") for piece in pieces).replace(" ", "") == line.replace(" ", "")
    assert [piece.strip() for piece in pieces[1:3]] == ["model.parameters(),", "lr=LEARNING_RATE)"]


def test_a_colour_terminal_styles_changed_words_and_keeps_the_signs():
    text = printed(width=80, force_terminal=True, color_system="standard", no_color=False)
    assert "\x1b[1;4;31mloss\x1b[0m" in text
    assert "\x1b[1;4;32maccelerator\x1b[0m" in text
    assert " ~ " in text and "^" not in text


def test_without_colours_changed_words_stay_bold_and_underlined():
    text = printed(width=80, force_terminal=True, color_system="standard", no_color=True)
    assert "\x1b[1;4mloss\x1b[0m" in text
    assert "\x1b[31m" not in text and "\x1b[32m" not in text


def test_into_a_pipe_goes_no_escape_code():
    text = printed(width=80)
    assert "\x1b" not in text
    assert "^^^^^^^^^^^          ^^^^" in text


def test_equal_programs_are_called_equal():
    assert render(diff_programs("a = 1\n", "a = 1\n")).startswith("the two programs are equal\n")
