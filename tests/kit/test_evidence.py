"""Evidence: real launches, and nothing lost or left over when a loop hangs, dies or runs for ever."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from answered import solution

from looplift.hidden.plan import sizes_from
from looplift.judge import Case, judge_apart, load_graded, warm
from looplift.lesson import find_lesson
from looplift.submission import read_answer
from looplift.verdict import Verdict

LESSON = find_lesson("first_loop")
LOOP = solution(LESSON)
STEP = "            optimizer.step()\n"


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    warm(LESSON)


def judged(text: str, folder: Path, secret: str = "practice") -> Verdict:
    path = folder / "answer.py"
    path.write_text(text)
    sizes = sizes_from(secret, LESSON.name, load_graded(LESSON).task.epochs)
    return judge_apart(Case(LESSON, lambda: read_answer(path, LESSON), path.name, sizes))


def after_steps(extra: str) -> str:
    """The model solution with something after each optimizer step."""
    assert STEP in LOOP
    return "import os, time, sys, signal\n" + LOOP.replace(STEP, STEP + extra)


def processes_of_ours() -> set[int]:
    """Descendants of this process."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat[stat.rindex(")") + 2 :].split()[1])
    found = {os.getpid()}
    for _ in parents:
        found |= {pid for pid, parent in parents.items() if parent in found}
    return found - {os.getpid()}


ENDINGS = {
    "hang": ("            if accelerator.is_main_process: accelerator.wait_for_everyone()\n",
             "deadlock", "rank 0 waits in wait_for_everyone"),
    "exit": ("            if not accelerator.is_main_process: os._exit(3)\n", "rank-died", "rank 1 ended"),
    "killed": ("            if not accelerator.is_main_process: os.kill(os.getpid(), signal.SIGKILL)\n",
               "rank-died", "rank 1 ended"),
    "raise": ("            if not accelerator.is_main_process: raise KeyError('oops')\n", "raised", "KeyError"),
    "endless": ("            while True: pass\n", "endless", "did not come to an end"),
    "system exit": ("            if not accelerator.is_main_process: sys.exit(1)\n", "left-by-exit", "on rank 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
def test_a_bad_ending_says_which_rank_stood_where(name: str, tmp_path: Path) -> None:
    extra, kind, said = ENDINGS[name]
    text = after_steps(extra)
    before = processes_of_ours()
    verdict = judged(text, tmp_path)
    found = next(it.finding for it in verdict.checks if it.finding)
    assert (found.id, said in found.saw) == (kind, True), found
    assert found.where is not None and found.where.source == extra.strip(), found.where
    assert not verdict.passed
    assert processes_of_ours() == before


def test_what_a_submission_starts_is_ended_even_in_a_session_of_its_own(tmp_path: Path) -> None:
    mark = tmp_path / "orphan.pid"
    extra = (
        f"            if not os.path.exists({str(mark)!r}) and accelerator.is_main_process:\n"
        "                if os.fork() == 0:\n"
        "                    os.setsid()\n"
        f"                    open({str(mark)!r}, 'w').write(str(os.getpid()))\n"
        "                    while True: time.sleep(1)\n"
    )
    judged(after_steps(extra), tmp_path)
    pid = int(mark.read_text())
    for _ in range(50):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.1)
    os.kill(pid, 9)
    raise AssertionError("a process that the submission started is still alive")


def test_the_same_secret_gives_the_same_hidden_run_and_another_gives_another(tmp_path: Path) -> None:
    sizes = [sizes_from(secret, LESSON.name) for secret in ("one", "one", "two")]
    assert sizes[0] == sizes[1] != sizes[2]
    for number in range(200):
        it = sizes_from(str(number), LESSON.name)
        assert it.train_rows % it.batch_size and it.train_rows % (2 * it.batch_size)
        assert it.eval_rows % (2 * it.batch_size) and it.eval_rows % (4 * it.batch_size)
        # two processes fill up the last round of evaluation with at least two rows
        assert -it.eval_rows % (4 * it.batch_size) >= 2
    for secret in ("one", "two", "three", "four"):
        assert judged(LOOP, tmp_path, secret).passed


def test_a_submission_that_replaces_parts_of_accelerate_is_flagged(tmp_path: Path) -> None:
    text = LOOP.replace(
        "    set_seed(seed)\n", "    set_seed(seed)\n    Accelerator.prepare = lambda self, *a: a\n"
    )
    assert text != LOOP
    verdict = judged(text, tmp_path)
    assert "Accelerator.prepare" in verdict.flag
    assert not verdict.passed


def test_code_outside_the_function_that_fails_does_not_hide_a_right_loop(tmp_path: Path) -> None:
    assert judged(LOOP + "\n\nprint(1 / 0)\n", tmp_path).passed


def test_a_loop_that_prints_without_end_is_no_danger(tmp_path: Path) -> None:
    verdict = judged(after_steps("            print('x' * 1000000)\n"), tmp_path)
    assert verdict.passed
