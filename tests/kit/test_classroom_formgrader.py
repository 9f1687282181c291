"""Formgrader under JupyterLab: a course opens in it, grades in it, and shows what waits for a person."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from classroom_cases import CHECKS, HALF, LESSON, hand_in, judge, notebook, released_course, scores

from looplift.classroom import Course, grade_course

Ask = Callable[..., str]


def ask_at(base: str, token: str) -> Ask:
    def ask(path: str, data: bytes | None = None) -> str:
        request = urllib.request.Request(base + path, data=data, headers={"Authorization": f"token {token}"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return str(answer.read().decode("utf-8"))

    return ask


@pytest.fixture(scope="module")
def formgrader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Course, Ask]]:
    """JupyterLab started in a graded course's folder, as an instructor would."""
    course = released_course(tmp_path_factory.mktemp("lab"))
    hand_in(course, "ann", notebook(HALF))
    hand_in(course, "bob", b"not a notebook")
    grade_course(course, judge)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home, token = tmp_path_factory.mktemp("home"), secrets.token_hex(8)
    place = os.pathsep.join(it for it in sys.path if it)
    environment = os.environ | {"HOME": str(home), "JUPYTER_CONFIG_DIR": str(home), "PYTHONPATH": place}
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    with (home / "log").open("wb") as log:
        lab = subprocess.Popen(
            command, cwd=course.folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    ask = ask_at(f"http://127.0.0.1:{port}", token)
    try:
        wait_for(ask, lab, home / "log")
        yield course, ask
    finally:
        os.killpg(lab.pid, signal.SIGKILL)
        lab.wait()


def wait_for(ask: Ask, lab: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            ask("/api/status")
            return
        except (urllib.error.URLError, ConnectionError):
            assert lab.poll() is None and time.monotonic() < until, log.read_text(encoding="utf-8")
            time.sleep(0.2)


def submissions(ask: Ask) -> dict[str, dict[str, Any]]:
    return {it["student"]: it for it in json.loads(ask(f"/formgrader/api/submissions/{LESSON}"))}


def test_formgrader_lists_grades_and_who_waits_for_a_person(formgrader: tuple[Course, Ask]) -> None:
    _, ask = formgrader
    assert "formgrader" in ask("/formgrader/gradebook").lower()
    listed = submissions(ask)
    assert {name: it["score"] for name, it in listed.items()} == {"ann": 9.0, "bob": 0.0}
    assert {name: it["needs_manual_grade"] for name, it in listed.items()} == {"ann": False, "bob": True}


def test_a_submission_opens_with_what_its_checks_saw(formgrader: tuple[Course, Ask]) -> None:
    _, ask = formgrader
    of_notebook = json.loads(ask(f"/formgrader/api/submitted_notebooks/{LESSON}/exercise"))
    assert len(of_notebook) == 2
    (ann,) = [it["id"] for it in of_notebook if it["student"] == "ann"]
    assert "the train loader was not passed to prepare" in ask(f"/formgrader/submissions/{ann}/")


def test_autograding_from_formgrader_gives_the_same_points(formgrader: tuple[Course, Ask]) -> None:
    course, ask = formgrader
    done = json.loads(ask(f"/formgrader/api/submission/{LESSON}/ann/autograde", data=b""))
    assert done["success"], f"{done.get('error')}\n{done.get('log')}"
    assert scores(course, "ann") == CHECKS | {"backward": 1.0}
