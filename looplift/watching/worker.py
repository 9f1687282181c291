"""The warm process: imports torch once and judges what it is asked to, each time in a fork of itself.

It reads one JSON request a line, {"lesson": NAME, "path": FILE}, and answers in JSON lines: {"running": WHAT} any
number of times, then {"verdict": {...}} or {"failed": SENTENCE}. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Say = Callable[[dict[str, Any]], None]
_PATIENCE = 2.0  # seconds in which a file that is being written must become whole


class Warm:
    """What has been imported so far: torch and accelerate once, each lesson's own once."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._lessons: set[str] = set()

    def judge(self, lesson_name: str, path: Path) -> None:
        """Judge a copy of the file as it is now, and say the verdict or why there is none."""
        if not self._lessons:
            self._say({"running": "importing torch and accelerate, once"})
        from looplift.evidence.watch import die_with_parent
        from looplift.fault import KitError
        from looplift.judge import Case, judge_apart, warm
        from looplift.lesson import LessonError, find_lesson
        from looplift.submission import read_submission

        die_with_parent()
        try:
            lesson = find_lesson(lesson_name)
            if lesson_name not in self._lessons:
                warm(lesson)
                self._lessons.add(lesson_name)
            with tempfile.TemporaryDirectory(prefix="looplift-") as folder:
                copy = Path(folder, path.name)
                copy.write_bytes(settled(path))
                case = Case(lesson, lambda: read_submission(copy, lesson), path.name)
                verdict = judge_apart(case, lambda what: self._say({"running": f"running {what}"}))
            self._say({"verdict": json.loads(verdict.to_json())})
        except (KitError, LessonError) as error:
            self._say({"failed": str(error)})
        except FileNotFoundError:
            self._say({"failed": f"{path.name} is gone; `looplift start` puts the one that was given back."})
        except OSError as error:
            self._say({"failed": f"{error.strerror or error}: {error.filename or path.name}."})


def settled(path: Path, patience: float = _PATIENCE) -> bytes:
    """The bytes of a file that may be half written: read again until they make sense, or patience is at its end.

    Then they are given as they are, for the judge to say what is wrong. Raises OSError when there is no such file.
    """
    until = time.monotonic() + patience
    while True:
        late = time.monotonic() >= until
        try:
            data = path.read_bytes()
            if late or _whole(data, path):
                return data
        except FileNotFoundError:  # an editor may take it away before it puts the new one there
            if late:
                raise
        time.sleep(0.05)


def _whole(data: bytes, path: Path) -> bool:
    if path.suffix != ".ipynb":
        return bool(data.strip())
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def main() -> None:
    """Serve until the input ends, or SIGTERM comes; what is being judged is ended then."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # judge_apart ends its runs on the way out
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # what a library prints must not stand between the answers
        os.dup2(null, stream)
    warm = Warm(lambda message: print(json.dumps(message), file=answers))
    for line in requests:
        request = json.loads(line)
        warm.judge(request["lesson"], Path(request["path"]))
