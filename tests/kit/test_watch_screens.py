"""A real watch, from start to quit: in a terminal, its screens as kept in screens/, and in a pipe.

After a wanted change of the screens: LOOPLIFT_KEEP_SCREENS=1 python -m pytest tests/kit/test_watch_screens.py
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from answered import solution, write_answered
from watched import PATIENCE, Terminal

from looplift.desk import Desk, start
from looplift.lesson import find_lesson

KEPT = Path(__file__).parent / "screens" / "watch.txt"
WRONG = Path(__file__).parents[1] / "answers" / "01_first_loop" / "wrong_plain_backward.py"
LESSON = find_lesson("01")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return start(tmp_path / "looplift-course").desk


def kept(screens: dict[str, str]) -> str:
    """The screens as they are kept."""
    return "\n".join(f"=== {name}\n{screen}\n" for name, screen in screens.items())


def below(screen: str, shown: str) -> str:
    """What came on a screen below what it showed before its last line."""
    before = shown.rsplit("\n", 1)[0]
    assert screen.startswith(before)
    return screen.removeprefix(before).strip("\n")


def test_a_session_in_a_terminal(desk):
    exercise = desk.place(LESSON) / "exercise.ipynb"
    with Terminal(["watch", "01"], desk.folder) as terminal:
        screens = {"started": terminal.until("\nchecking").rsplit("\n", 1)[0]}
        terminal.until("0 of 10 points")
        screens["the stub"] = terminal.resting(1)
        write_answered(LESSON, WRONG.read_text(), exercise)
        terminal.until("Check 2")
        screens["a wrong answer is saved"] = terminal.resting(1)
        write_answered(LESSON, solution(LESSON), exercise)
        terminal.until("Check 3")
        shown = screens["a right answer is saved"] = terminal.resting(1)
        answers = []
        for prompts, key in enumerate("hld", 2):
            terminal.press(key)
            screen = terminal.resting(prompts)
            answers.append(below(screen, shown))
            shown = screen
        terminal.press("q")
        assert terminal.ended() == 0
        assert terminal.glass.text() == shown.rsplit("\n", 1)[0]
        assert terminal.mode() == terminal.before
    screens["h is pressed"], listed, diff = answers  # the list has a snapshot of its own, in test_everywhere
    assert ">  01_first_loop" in listed and "10 of 10" in listed and "02_warmup_schedule" in listed
    assert "before.py" in diff and "after.py" in diff and "accelerator.backward(" in diff
    text = kept(screens)
    if os.environ.get("LOOPLIFT_KEEP_SCREENS"):
        KEPT.write_text(text, encoding="utf-8")
    assert text == KEPT.read_text(encoding="utf-8")
    gone = " ".join(terminal.glass.wiped)
    assert "importing torch and accelerate, once" in gone and "running training_loop on 2 processes" in gone
    assert desk.note(LESSON).passed


def until(process: subprocess.Popen[bytes], words: str) -> str:
    """What a process writes, up to the line with these words."""
    assert process.stdout is not None
    text, end = "", time.monotonic() + PATIENCE
    while words not in text:
        assert time.monotonic() < end and process.poll() is None, text
        if select.select([process.stdout], [], [], 0.2)[0]:
            text += os.read(process.stdout.fileno(), 65536).decode()
    return text


def test_a_session_in_a_pipe_without_colour_and_without_file_events(desk):
    exercise = desk.place(LESSON) / "exercise.ipynb"
    write_answered(LESSON, WRONG.read_text(), exercise)
    process = subprocess.Popen(
        [sys.executable, "-m", "looplift", "watch"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=desk.place(LESSON),
        env={**os.environ, "NO_COLOR": "1", "LOOPLIFT_POLL": "1", "COLUMNS": "90"},
    )  # fmt: skip
    assert process.stdin is not None
    try:
        first = until(process, "two processes train one model")
        assert "Keys, each with Enter: n next" in first
        assert "next      write accelerator.backward(loss) instead\n" in first
        write_answered(LESSON, solution(LESSON), exercise)
        second = until(process, "looplift solution 01")
        assert "-" * 60 + "\n01 first_loop " in second and "10 of 10 points" in second
        assert "  now passes  every backward goes through the accelerator\n" in second
        process.stdin.write(b"list\n")
        process.stdin.flush()
        third = until(process, "lessons done")
        assert ">  01_first_loop" in third
        process.stdin.write(b"q\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        said = first + second + third
        assert "\x1b" not in said and "\r" not in said and "waiting for" not in said
    finally:
        process.kill()
        process.wait()


def children(pid: int) -> list[int]:
    return [int(it) for it in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes in /proc")
def test_an_interrupt_leaves_the_terminal_as_it_was_and_no_process(desk):
    with Terminal(["watch", "01"], desk.folder) as terminal:
        terminal.until("importing torch")
        (warm,) = children(terminal.process.pid)
        assert terminal.mode() != terminal.before
        terminal.stop_and_continue()
        terminal.press("h")
        terminal.until("hint 1 of 3")
        terminal.press("\x03")
        assert terminal.ended() == 0
        assert terminal.mode() == terminal.before
        assert not Path(f"/proc/{warm}").exists()
    with Terminal(["watch", "01"], desk.folder) as terminal:
        terminal.until("importing torch")
        (warm,) = children(terminal.process.pid)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ended() == 128 + signal.SIGTERM
        assert terminal.mode() == terminal.before
        assert not Path(f"/proc/{warm}").exists()
