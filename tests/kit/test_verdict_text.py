"""A verdict as text reads as the design shows it, at any width and in any alphabet."""

import io
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console

from looplift.verdict import CheckResult, Finding, Place, Remark, Verdict, all_failed
from looplift.verdict.text import number, render, show, visible

FINDING = Finding(
    id="unprepared-loader",
    saw="the train loader was not passed to prepare",
    so="both processes read all 48 rows of an epoch, not 24 each",
    expected="each process reads its own half",
    where=Place("exercise.ipynb", 14, 7, "    for batch in train_loader:"),
    next="prepare the loader too, and loop over what comes back",
)
VERDICT = Verdict(
    lesson="01_first_loop",
    submission="anna/exercise.ipynb",
    checks=(
        CheckResult("one_accelerator", "one Accelerator, made inside training_loop", 1.0, 1.0, "pass"),
        CheckResult("backward", "every backward goes through the accelerator", 2.0, 2.0, "pass"),
        CheckResult("no_manual_moves", "no line moves things to a device by hand", 2.0, 2.0, "pass"),
        CheckResult("prepared", "model, optimizer and loader go through prepare", 2.0, 0.0, "mend", FINDING),
        CheckResult("one_training", "two processes train one model", 3.0, 0.0, "follows"),
    ),
)


def mended(**changes) -> Verdict:
    """The verdict with its one finding changed."""
    finding = replace(FINDING, **changes)
    checks = [replace(it, finding=finding) if it.status == "mend" else it for it in VERDICT.checks]
    return replace(VERDICT, checks=tuple(checks))


def test_a_verdict_reads_as_the_design_shows_it():
    assert render(VERDICT, width=80) == (
        "01 first_loop                                                     5 of 10 points\n"
        "  pass  1/1  one Accelerator, made inside training_loop\n"
        "  pass  2/2  every backward goes through the accelerator\n"
        "  pass  2/2  no line moves things to a device by hand\n"
        "  MEND  0/2  model, optimizer and loader go through prepare\n"
        "             saw       the train loader was not passed to prepare\n"
        "             so        both processes read all 48 rows of an epoch, not 24 each\n"
        "             expected  each process reads its own half\n"
        "             where     cell 7, line 14    for batch in train_loader:\n"
        "             next      prepare the loader too, and loop over what comes back\n"
        "             more      looplift explain unprepared-loader\n"
        "  MEND  0/3  two processes train one model\n"
        "             follows from the check above"
    )


def test_on_a_narrow_terminal_details_start_further_left():
    assert render(VERDICT, width=44) == (
        "01 first_loop                 5 of 10 points\n"
        "  pass  1/1  one Accelerator, made inside\n"
        "             training_loop\n"
        "  pass  2/2  every backward goes through the\n"
        "             accelerator\n"
        "  pass  2/2  no line moves things to a\n"
        "             device by hand\n"
        "  MEND  0/2  model, optimizer and loader go\n"
        "             through prepare\n"
        "    saw       the train loader was not\n"
        "              passed to prepare\n"
        "    so        both processes read all 48\n"
        "              rows of an epoch, not 24 each\n"
        "    expected  each process reads its own\n"
        "              half\n"
        "    where     cell 7, line 14\n"
        "              for batch in train_loader:\n"
        "    next      prepare the loader too, and\n"
        "              loop over what comes back\n"
        "    more      looplift explain\n"
        "              unprepared-loader\n"
        "  MEND  0/3  two processes train one model\n"
        "    follows from the check above"
    )


def test_a_flag_stands_at_the_top_and_remarks_at_the_end():
    remark = Remark(
        "bare-print", "both processes print this line", Place("exercise.ipynb", 9, 7, "print(loss)")
    )
    lines = render(replace(VERDICT, flag="a cell is doubled", remarks=(remark,))).split("\n")
    assert lines[1] == "  FLAG  for a person to look at: a cell is doubled"
    assert lines[-2:] == [
        "  note  both processes print this line [bare-print]",
        "             where     cell 7, line 9    print(loss)",
    ]


def test_a_flag_without_checks_says_that_nothing_was_judged():
    assert render(Verdict("01_first_loop", "x.ipynb", (), flag="not a notebook"), width=40) == (
        "01 first_loop              0 of 0 points\n"
        "  FLAG  for a person to look at: not a\n"
        "        notebook\n"
        "  nothing was judged"
    )


def test_when_one_finding_stops_every_check_it_is_said_once():
    checks = all_failed([("a", "first", 1), ("b", "second", 1), ("c", "third", 1)], FINDING)
    text = render(Verdict("01_first_loop", "x.ipynb", checks))
    assert text.count("saw  ") == 1
    assert text.count("follows from the check above") == 2


def test_a_check_that_follows_from_one_further_up_names_it():
    one, two, three, mend, follows = VERDICT.checks
    text = render(replace(VERDICT, checks=(mend, one, two, three, follows)))
    assert text.endswith('             follows from "model, optimizer and loader go through prepare"')


def test_a_place_in_a_script_names_the_file():
    text = render(mended(where=Place("task.py", 3)))
    assert "             where     task.py, line 3\n" in text


def test_parts_that_are_not_known_are_left_out():
    text = render(mended(id="", so="", expected="", where=None, next=""))
    assert text.split("\n")[5:7] == [
        "             saw       the train loader was not passed to prepare",
        "  MEND  0/3  two processes train one model",
    ]


def test_points_are_written_as_people_do():
    assert [number(it) for it in (1, 1.0, 0.5, 1 / 3, 10.0, 0)] == ["1", "1", "0.5", "0.33", "10", "0"]
    one = Verdict("01_x", "", (CheckResult("x", "x", 1, 1, "pass"),))
    assert render(one, width=30).split("\n")[0] == "01 x              1 of 1 point"


def test_titles_stay_in_one_column_when_points_differ_in_width():
    checks = (CheckResult("a", "first", 1, 1, "pass"), CheckResult("b", "second", 10, 2.5, "mend"))
    assert render(Verdict("a_b", "", checks)).split("\n")[1:] == [
        "  pass  1/1     first",
        "  MEND  2.5/10  second",
    ]


def test_ascii_keeps_every_word():
    text = render(mended(saw="a “quoted” word – and 반 …", where=Place("f", 2, 1, "é = 1")), style="ascii")
    assert text.isascii()
    assert r'saw       a "quoted" word - and \ubc18 ...' in text
    assert r"cell 1, line 2    \xe9 = 1" in text


def test_wide_characters_are_counted_as_they_are_seen():
    text = render(mended(saw="학습 로더가 prepare에 전달되지 않았습니다 " * 3), width=60)
    assert max(cell_len(line) for line in text.split("\n")) <= 60
    assert text.count("전달되지") == 3


def test_a_line_of_a_student_cannot_move_the_cursor_or_turn_the_text():
    assert visible("a\x1b[2Jb\u202ec\nd\te") == r"a\x1b[2Jb\u202ec d e"
    text = render(mended(where=Place("f", 1, 1, "x = '\x1b[31m' # \u202e")))
    assert "\x1b" not in text and "\u202e" not in text
    assert r"x = '\x1b[31m' # \u202e" in text


def test_a_very_long_word_is_folded():
    text = render(mended(saw="x" * 200), width=60)
    assert max(map(len, text.split("\n"))) <= 60
    assert text.count("x") >= 200


def test_the_console_prints_the_same_text():
    file = io.StringIO()
    show(VERDICT, Console(file=file, width=80))
    assert "\n".join(line.rstrip() for line in file.getvalue().rstrip("\n").split("\n")) == render(
        VERDICT, 80
    )


def test_a_very_wide_console_is_not_used_up():
    file = io.StringIO()
    show(VERDICT, Console(file=file, width=240))
    assert max(map(len, file.getvalue().split("\n"))) == 100


def test_colour_is_added_where_there_is_colour():
    file = io.StringIO()
    show(VERDICT, Console(file=file, width=80, force_terminal=True, color_system="standard", no_color=False))
    assert "\x1b[1;31m  MEND  \x1b[0m" in file.getvalue()
    assert "\x1b[32m  pass  \x1b[0m" in file.getvalue()


def test_markup_in_a_message_is_text():
    file = io.StringIO()
    show(mended(saw="the list [red]losses[/red] is empty"), Console(file=file, width=80))
    assert "the list [red]losses[/red] is empty" in file.getvalue()


def test_a_kind_without_a_page_is_named_in_brackets():
    text = render(mended(id="no-such-kind"), width=100)
    assert "was not passed to prepare [no-such-kind]" in text
    assert "more" not in text


def test_a_kind_with_a_page_is_named_once_in_the_command_that_shows_it():
    text = render(mended(id="prepared-eval_loader-unused"), width=100)
    assert text.count("looplift explain prepared-eval-loader-unused") == 1
    assert "[" not in text
