"""What was recorded of a submission: the verdict as it was marked, and how late the submission was then.

nbgrader's gradebook keeps points and comments. What the points were given for is kept beside it, for `looplift report`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from looplift.classroom.course import Course
from looplift.verdict import Verdict


@dataclass(frozen=True)
class Recorded:
    """verdict: with the points of the course's own cells. lateness: what the late penalty was decided on."""

    verdict: Verdict
    lateness: str = ""


def write_recorded(course: Course, student: str, assignment: str, recorded: Recorded) -> None:
    """Keep it, whole or not at all. Raises OSError when it cannot be written."""
    path = _path(course, student, assignment)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    text = json.dumps(asdict(recorded), ensure_ascii=False, indent=1)
    part.write_text(text, encoding="utf-8", errors="surrogatepass")
    part.replace(path)


def read_recorded(course: Course, student: str, assignment: str) -> Recorded | None:
    """What was kept; None when nothing was, or when another version of the kit wrote it."""
    try:
        raw = json.loads(_path(course, student, assignment).read_text("utf-8", errors="surrogatepass"))
        return Recorded(Verdict.from_json(json.dumps(raw["verdict"])), str(raw["lateness"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _path(course: Course, student: str, assignment: str) -> Path:
    """Folders as nbgrader has them: both names are names of folders already, however long or odd."""
    return course.own / "recorded" / student / assignment / "verdict.json"
