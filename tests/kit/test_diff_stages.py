"""The refactoring one step at a time: each step a program, the last one after.py."""

import ast
import builtins
import io
import os
import pty
import re
import select
import sys

import pytest
from bs4 import BeautifulSoup
from rich.console import Console
from typer.testing import CliRunner

from looplift.commands import app
from looplift.diff import diff_programs
from looplift.diff.document import policy, stage_script
from looplift.diff.notes import Note, change_blocks
from looplift.diff.stagepage import stage_page
from looplift.diff.stages import around, lesson_stages, stages_of
from looplift.diff.stepping import print_stages, step_through
from looplift.lesson import Lesson, LessonError, lessons

BEFORE = "import torch\n\nmodel.to(device)\nfor batch in loader:\n    loss.backward()\n"
AFTER = "import torch\nfrom accelerate import Accelerator\n\nfor batch in loader:\n    accelerator.backward(loss)\n"
DIFF = diff_programs(BEFORE, AFTER, "07 made_up", ("before.py", "after.py"))
IMPORTED, MOVED, BACKWARD = change_blocks(DIFF)
STAGES = stages_of(
    DIFF,
    [
        Note("Go backward", "It scales the loss.", (BACKWARD,)),
        Note("Import it", "One class.", (IMPORTED,)),
        Note("Move nothing", "No move.", (MOVED,)),
    ],
)
EVERY = pytest.mark.parametrize("lesson", lessons(), ids=lambda it: it.name)


def unbound(program: str) -> set[str]:
    """Names that a program reads and nowhere makes."""
    tree = ast.parse(program)
    read, made = set(), set(dir(builtins)) | {"__doc__", "__name__"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else made).add(node.id)
        elif isinstance(node, ast.alias):
            made.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        elif isinstance(node, ast.arg):
            made.add(node.arg)
    return read - made


def test_changes_are_applied_in_the_order_of_the_notes():
    assert [stage.program for stage in STAGES] == [
        "import torch\n\nmodel.to(device)\nfor batch in loader:\n    accelerator.backward(loss)\n",
        "import torch\nfrom accelerate import Accelerator\n\nmodel.to(device)\nfor batch in loader:\n"
        "    accelerator.backward(loss)\n",
        AFTER,
    ]


def test_a_step_marks_only_what_it_changes_and_numbers_its_lines_anew():
    kinds = [[row.kind for row in stage.diff.rows if row.kind != "same"] for stage in STAGES]
    assert kinds == [["changed"], ["added"], ["removed"]]
    for stage in STAGES:
        assert [line.number for line in stage.diff.right] == list(range(1, len(stage.diff.right) + 1))
        assert [line.number for line in stage.diff.left] == list(range(1, len(stage.diff.left) + 1))


@EVERY
def test_a_lesson_goes_from_before_to_after_byte_for_byte(lesson):
    stages = lesson_stages(lesson)
    before = "".join(f"{line.text}\n" for line in stages[0].diff.left)
    assert before.encode() == lesson.before.read_bytes()
    assert stages[-1].program.encode() == lesson.after.read_bytes()
    for earlier, later in zip(stages, stages[1:], strict=False):
        assert [it.text for it in earlier.diff.right] == [it.text for it in later.diff.left]
    assert [stage.number for stage in stages] == list(range(1, stages[0].of + 1))
    assert len(stages) >= 5


@EVERY
def test_every_step_of_a_lesson_is_a_program_that_uses_no_name_before_it_exists(lesson):
    checked = 0
    for stage in lesson_stages(lesson):
        compile(stage.program, f"{lesson.name}, {stage.heading}", "exec")
        assert unbound(stage.program) == set(), stage.heading
        assert stage.diff.differs
        checked += 1
    assert checked >= 5


def test_a_lesson_without_steps_says_where_to_list_them(tmp_path):
    for name in ("before.py", "after.py"):
        (tmp_path / name).write_text("a = 1\n")
    with pytest.raises(LessonError, match=r"07_made_up has no steps: list them, in order, in .*diff\.toml"):
        lesson_stages(Lesson("07_made_up", tmp_path, tmp_path / "test_07.py"))


def test_around_keeps_the_rows_near_a_change():
    assert [row.left.number for row in around(STAGES[2].diff, 1).rows if row.left] == [3, 4, 5]


def printed() -> str:
    file = io.StringIO()
    print_stages(STAGES, Console(file=file, width=80, color_system=None))
    return "\n".join(line.rstrip() for line in file.getvalue().split("\n"))


def test_in_a_pipe_stage_after_stage_is_printed_with_its_heading():
    assert printed().startswith(
        "Step 1 of 3: Go backward\n"
        "It scales the loss.\n"
        "     before this step     │      after this step\n"
        "──────────────────────────┼────────────────────────────────────\n"
        " 2                        │  2\n"
        " 3   model.to(device)     │  3   model.to(device)\n"
        " 4   for batch in loader: │  4   for batch in loader:\n"
        " 5 ~     loss.backward()  │  5 ~     accelerator.backward(loss)\n"
        "         ^^^^             │          ^^^^^^^^^^^          ^^^^\n"
        "\n"
        "Step 2 of 3: Import it\n"
    )
    assert "\n\nStep 3 of 3: Move nothing\nNo move.\n" in printed()


def test_rows_left_out_between_two_changes_leave_dots():
    before, after = ("".join(f"line{n}({tail})\n" for n in range(9)) for tail in ("", "x"))
    diff = diff_programs(before, after.replace("line4(x)", "line4()"))
    cut = around(diff, 0)
    file = io.StringIO()
    print_stages(
        stages_of(diff, [Note("All", "All of it.", tuple(change_blocks(diff)))]),
        Console(file=file, width=80, color_system=None),
    )
    assert len(cut.rows) == 8
    assert "⋮" not in file.getvalue()
    from looplift.diff.terminal import render

    assert [line for line in render(cut, width=80).split("\n") if "⋮" in line] == [" ⋮"]
    assert "\n ...\n" in render(cut, width=60, style="ascii")


def stepped(*keys: str) -> list[str]:
    """The headings seen when these keys are pressed."""
    file = io.StringIO()
    waiting = iter(keys)
    console = Console(file=file, width=80, height=30, force_terminal=True, color_system=None)
    step_through(STAGES, console, lambda: next(waiting))
    assert list(waiting) == []
    return re.findall(r"Step (\d) of 3", file.getvalue())


def test_arrow_keys_go_forward_and_back_and_stop_at_the_ends():
    right, left = "\x1b[C", "\x1b[D"
    assert stepped(left, right, right, right, left, "q") == ["1", "1", "2", "3", "3", "2"]


def test_enter_goes_on_and_leaves_after_the_last_step():
    assert stepped("\r", "\r", "\r") == ["1", "2", "3"]


def test_other_keys_change_nothing():
    assert stepped("x", "\x1b[A", "q") == ["1", "1", "1"]


def test_the_command_prints_the_steps_or_writes_them_to_a_page(tmp_path):
    run = CliRunner().invoke(app, ["diff", "01", "--stages"])
    assert (run.exit_code, run.output.count("Step ")) == (0, 8)
    page = tmp_path / "steps.html"
    run = CliRunner().invoke(app, ["diff", "01", "--stages", "--html", str(page)])
    assert (run.exit_code, run.output) == (0, f"Wrote {page}\n")
    assert len(BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select(".stage")) == 8


PAGE = BeautifulSoup(stage_page("07 made_up", STAGES, home="index.html"), "html.parser")


def test_without_a_script_the_page_has_all_steps_below_one_another():
    assert [it.get_text() for it in PAGE.select(".stage h2")] == [stage.heading for stage in STAGES]
    assert [it.get_text() for it in PAGE.select(".stage-note")] == [stage.sentence for stage in STAGES]
    assert PAGE.select(".stage[hidden]") == []
    assert PAGE.select_one(".stage-controls[hidden]") is not None


def test_the_page_has_the_ids_that_the_script_and_others_look_for():
    found = [it["id"] for it in PAGE.select("[id]")]
    assert len(set(found)) == len(found)
    assert {"previous-stage", "next-stage", "stage-number", "stage-sentence", "stage-1", "stage-3"} <= set(
        found
    )
    number = PAGE.select_one("#stage-number")
    assert number is not None and number.parent is not None
    assert number.parent["role"] == "status"
    assert [it.get_text() for it in PAGE.select(".stage-controls button[type=button]")] == [
        "Previous",
        "Next",
    ]


def test_the_page_may_run_its_one_script_and_load_nothing():
    script = PAGE.find("script")
    assert script is not None and script.string == stage_script()
    rule = PAGE.select_one("meta[http-equiv]")
    assert rule is not None
    assert rule["content"] == policy(stage_script())
    assert str(rule["content"]).startswith(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"
    )
    assert "http:" not in str(PAGE) and "https:" not in str(PAGE) and "url(" not in str(PAGE)


def test_the_script_is_the_same_wherever_it_is_written():
    assert "</" not in stage_script()
    assert "\r" not in stage_script()
    assert stage_script().count("ArrowRight") == stage_script().count("ArrowLeft") == 1


def seen_in_a_terminal(steps: list[tuple[bytes, str]]) -> tuple[bytes, int]:
    """What the command writes to a real terminal: each key is pressed once its text has been seen."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="90", LINES="30")
        os.execv(sys.executable, [sys.executable, "-m", "looplift", "diff", "01", "--stages"])
    written = b""
    try:
        for key, awaited in steps:
            since = len(written)
            while awaited.encode() not in written[since:]:
                assert select.select([terminal], [], [], 120)[0], f"{awaited!r} did not come"
                written += os.read(terminal, 65536)
            os.write(terminal, key)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    finally:
        os.close(terminal)  # hangs up: nothing is left waiting for a key
    return written, code


def test_in_a_real_terminal_the_arrow_keys_step_and_q_leaves():
    right, left = b"\x1b[C", b"\x1b[D"
    steps = [(right, "Step 1 of 8"), (right, "Step 2 of 8"), (left, "Step 3 of 8"), (b"q", "Step 2 of 8")]
    written, code = seen_in_a_terminal(steps)
    assert code == 0
    assert re.findall(rb"Step (\d) of 8", written) == [b"1", b"2", b"3", b"2"]
