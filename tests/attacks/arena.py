"""Where hostile answers are judged: as `looplift grade` judges them, one warm process, each in rooms of its own."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from looplift.evidence import Limits
from looplift.judge import Case
from looplift.judge.child import judge_and_leave
from looplift.judge.graded import GradedTests
from looplift.lesson import Lesson, find_lesson, solutions_folder
from looplift.sandbox.bounds import Bounds
from looplift.submission import read_answer
from looplift.verdict import Verdict
from looplift.verdict.left import left

HERE = Path(__file__).parent
LESSON: Lesson = find_lesson("first_loop")
MARK = "looplift-attacks"
# What right loops never come near, but shorter than the usual, so that endless ones do not take minutes here.
LIMITS = Limits(processor=8.0, silent=1.5, asleep=2.0)
BOUNDS = Bounds(memory=600 << 20, processes=30, tasks=100)
PLAIN = (HERE.parent / "answers" / "01_first_loop" / "wrong_plain_loop_again.py").read_text(encoding="utf-8")

_COURSE = """
import pathlib, secrets, sys
course = pathlib.Path(sys.argv[1])
for name in ("gradebook.db", ".looplift/secret", "submitted/ann/01_first_loop/exercise.ipynb",
             "source/01_first_loop/exercise.ipynb", "autograded/ann/01_first_loop/exercise.ipynb"):
    path = course / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("canary-" + secrets.token_hex(16))
course.chmod(0o777)
"""


@dataclass(frozen=True)
class Attack:
    """An answer that is up to something. does: what. cap: the most points that it may earn, which is what the same
    loop earns without the trick. flag: what the verdict's flag must hold, "" when none need be raised."""

    name: str
    does: str
    cap: float
    flag: str
    text: str


@dataclass(frozen=True)
class Judged:
    """verdict: what came of it. left: every byte that its runs left for the judge, names of files included."""

    verdict: Verdict
    left: bytes


def honest() -> str:
    """The model solution: the answer cell of the exercise's source."""
    text = (solutions_folder() / LESSON.name / "exercise.py").read_text(encoding="utf-8")
    cell = text[text.index('"grade_id": "answer"') :].split("\n", 1)[1].split("\n# %%", 1)[0]
    return re.sub(r"\n\s*### (BEGIN|END) SOLUTION", "", cell)


def attacks(plain: float) -> list[Attack]:
    """All of tests/attacks/answers. plain: what the plain loop earns."""
    found = []
    for path in sorted((HERE / "answers").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        head = dict(re.findall(r"^# (does|cap|flag): (.*)$", text, re.MULTILINE))
        cap = plain if head["cap"] == "plain" else float(head["cap"])
        found.append(Attack(path.stem, head["does"], cap, head["flag"].strip("-"), text))
    return found


class Arena:
    """A course full of canaries, made by another program so that no process here has them in memory, and a port that
    listens on this machine. Enter it to have both."""

    def __init__(self, folder: Path, graded: GradedTests) -> None:
        self.course, self._folder, self._graded = folder / "course", folder, graded
        self._listening = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> Arena:
        subprocess.run([sys.executable, "-c", _COURSE, self.course], check=True)
        os.environ["LOOPLIFT_TEST_RUN"] = os.environ.get("LOOPLIFT_TEST_RUN", MARK)
        os.environ["DATABASE_PASSWORD"] = "canary-in-the-environment"
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        del os.environ["DATABASE_PASSWORD"]
        if os.environ["LOOPLIFT_TEST_RUN"] == MARK:
            del os.environ["LOOPLIFT_TEST_RUN"]

    def canaries(self) -> list[bytes]:
        """What must not be found anywhere."""
        return [
            b"canary-in-the-environment",
            *(it.read_bytes() for it in self.course.rglob("*") if it.is_file()),
        ]

    def judge(self, name: str, text: str) -> Judged:
        """Judge an answer in a fork of this process, enclosed."""
        folder = self._folder / name
        folder.mkdir()
        answer = folder / "answer.py"
        answer.write_text(self._filled(text), encoding="utf-8")
        case = Case(LESSON, lambda: read_answer(answer, LESSON), answer.name, sandbox=True)
        pid = os.fork()
        if pid == 0:
            _shorten()
            judge_and_leave(case, self._graded, folder, lambda _: None)
        os.waitpid(pid, 0)
        verdict = left(folder)
        answer.unlink()
        parts = [
            it.name.encode() + b"\n" + it.read_bytes() for it in sorted(folder.rglob("*")) if it.is_file()
        ]
        shutil.rmtree(folder)
        return Judged(verdict, b"\n".join(parts))

    def _filled(self, text: str) -> str:
        blanks = {
            "# HONEST LOOP": honest(), "# PLAIN LOOP": PLAIN, "{COURSE}": str(self.course),
            "{PORT}": str(self._listening.getsockname()[1]),
            "{BRACKETS}": "(" * 100_000, "{NESTED}": "-" * 90_000 + "1",
        }  # fmt: skip
        for blank, filling in blanks.items():
            text = text.replace(blank, filling)
        return text


def _shorten() -> None:
    """In this process, which is a test's own, runs get LIMITS and BOUNDS."""
    import looplift.evidence.evidence as evidence
    import looplift.sandbox.room as room

    evidence.Limits = lambda: LIMITS  # type: ignore[assignment, misc]
    room.Bounds = lambda: BOUNDS  # type: ignore[assignment, misc]


def left_over() -> dict[int, str]:
    """Processes of enclosed runs that are still alive, by the mark in their environment; tried again for a second."""
    for _ in range(50):
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with contextlib.suppress(OSError):
                    environ = (entry / "environ").read_bytes()
                    if b"USER=run\0" in environ or (MARK.encode() in environ and b"HOME=" not in environ):
                        found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")[:120]
        if not found:
            return {}
        time.sleep(0.02)
    return found


def limits_are_shorter() -> bool:
    """Whether LIMITS and BOUNDS only shorten what is usual."""
    pairs = [
        (dataclasses.asdict(a), dataclasses.asdict(b)) for a, b in ((Limits(), LIMITS), (Bounds(), BOUNDS))
    ]
    return all(here[name] <= usual[name] for usual, here in pairs for name in usual)
