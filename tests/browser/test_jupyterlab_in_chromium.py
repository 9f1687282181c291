"""JupyterLab driven as a student and an instructor do: an exercise runs, Formgrader shows the grades."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from answered import solution, the_port, write_answered
from classroom_cases import CHECKS, HALF, LESSON, hand_in, judge, notebook, released_course
from conftest import Open
from playwright.sync_api import Page, TimeoutError, expect

from looplift.classroom import Course, grade_course
from looplift.lesson import find_lesson

# Without these Lab draws only the cells in sight, and asks the network for news.
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
}
LONG = 120_000  # milliseconds that a busy machine may need for a notebook with launches


@dataclass(frozen=True)
class Lab:
    base: str
    token: str

    def address(self, path: str) -> str:
        return f"{self.base}{path}?token={self.token}"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Course:
    """A graded course, and beside it the first exercise with the model solution typed in."""
    made = released_course(tmp_path_factory.mktemp("lab"))
    hand_in(made, "ann", notebook(HALF))
    hand_in(made, "cy")
    grade_course(made, judge)
    lesson = find_lesson("01")
    write_answered(lesson, solution(lesson), made.folder / "exercise.ipynb")
    return made


@pytest.fixture(scope="module")
def lab(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """`jupyter lab` in a process group of its own, in the course's folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home, token = tmp_path_factory.mktemp("home"), secrets.token_hex(8)
    for name, content in SETTINGS.items():
        path = home / "settings" / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    environment = os.environ | {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "PYTHONPATH": os.pathsep.join(it for it in sys.path if it),
        "ACCELERATE_USE_CPU": "yes",
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={course.folder}"]
    command += [f"--IdentityProvider.token={token}"]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=course.folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    started = Lab(f"http://127.0.0.1:{port}", token)
    try:
        wait_for(started, server, home / "log")
        yield started
    finally:
        end(server)


def wait_for(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(lab.address("/api/status"), timeout=20).close()
            return
        except (urllib.error.URLError, ConnectionError):
            assert server.poll() is None and time.monotonic() < until, log.read_text(encoding="utf-8")
            time.sleep(0.2)


def end(server: subprocess.Popen[bytes]) -> None:
    """End the server politely, so that it ends its kernels, which have process groups of their own."""
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def menu(page: Page, name: str, entry: str) -> None:
    """Choose an entry of one of Lab's menus."""
    page.locator(".lm-MenuBar-item", has_text=re.compile(f"^{name}$")).click()
    page.locator(".lm-Menu-item", has_text=re.compile(f"^{entry}")).first.click()


def wait_for_a_kernel(page: Page) -> None:
    """Wait until the notebook can be run. A slow Lab asks which kernel to take: the one it proposes."""
    ready = page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")
    select = page.locator(".jp-Dialog").get_by_role("button", name="Select", exact=True)
    ready.or_(select).first.wait_for(timeout=LONG)
    if select.is_visible():
        select.click()
    ready.wait_for(timeout=LONG)


def run_all(page: Page) -> None:
    """Run every cell. Lab can lose what is run in the moment in which its kernel comes up: then ask once more."""
    begun = page.locator(".jp-CodeCell .jp-InputPrompt", has_text=re.compile(r"\[(\*|\d+)\]"))
    for _ in range(5):
        menu(page, "Run", "Run All Cells")
        with contextlib.suppress(TimeoutError):
            begun.first.wait_for(timeout=LONG / 8)
            return
    raise AssertionError(f"no cell was run: {page.locator('.jp-Notebook').inner_text()}")


def test_a_student_runs_the_exercise_and_sees_the_table_of_each_check(lab: Lab, open_page: Open) -> None:
    with the_port(), open_page() as opened:
        page = opened.page
        page.goto(lab.address("/lab/tree/exercise.ipynb"))
        wait_for_a_kernel(page)
        run_all(page)
        tables = page.locator(".jp-OutputArea-output table.looplift-checks")
        expect(tables).to_have_count(len(CHECKS), timeout=LONG)
        said = [" ".join(text.split()) for text in tables.all_inner_texts()]
        assert len(said) == 5
        assert all("pass" in text and "MEND" not in text for text in said), said
        points = [page.locator("table.looplift-checks td.looplift-points").nth(at) for at in range(5)]
        assert [it.inner_text() for it in points] == [f"{it:.0f} of {it:.0f}" for it in CHECKS.values()]
        tables.first.scroll_into_view_if_needed()
        assert tables.first.is_visible()
        outside = [it for it in opened.left if not it.startswith((lab.base, "ws:", "blob:"))]
        assert outside == []
        page.evaluate("window.onbeforeunload = null")


def test_an_instructor_opens_formgrader_from_the_menu_and_sees_the_grades(lab: Lab, open_page: Open) -> None:
    with open_page() as opened:
        page = opened.page
        page.goto(lab.address("/lab/workspaces/grading"))  # not the one in which the exercise is open
        page.locator(".lm-MenuBar-item", has_text="Nbgrader").wait_for(timeout=LONG)
        menu(page, "Nbgrader", "Formgrader")
        frame = page.frame_locator(".jp-IFrame iframe")
        frame.get_by_role("link", name="Manual Grading").click(timeout=LONG)
        frame.get_by_role("link", name=LESSON).click(timeout=LONG)
        frame.get_by_role("link", name="exercise").click(timeout=LONG)
        expect(frame.locator("tbody tr")).to_have_count(2, timeout=LONG)
        scores = frame.locator("tbody td.score").all_inner_texts()
        assert sorted(scores) == ["10 / 10", "9 / 10"]
