"""What a worker answered, read with suspicion: it comes from another machine and becomes a grade."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import looplift
from looplift.fault import KitError
from looplift.lesson import find_lesson
from looplift.pool import Job
from looplift.verdict import CheckResult, Finding, Place, Verdict
from looplift.verdict.text import visible

LARGEST = 4_000_000  # bytes
_TEXT = 100_000  # characters
_CHECK = "check-"


@dataclass(frozen=True)
class Answer:
    """worker: the address it gives. versions: of that worker. made: None when it judged nothing."""

    worker: str
    versions: Mapping[str, str] = field(default_factory=dict)
    made: Verdict | KitError | None = None


def read_answer(data: Any, job: Job) -> Answer:
    """Read what came back for a job. Raises ValueError, saying what is wrong, when it is no answer to it."""
    if not isinstance(data, bytes):
        raise ValueError(f"{type(data).__name__} instead of bytes")
    if len(data) > LARGEST:
        raise ValueError(f"{len(data)} bytes")
    raw = _read(data)
    versions = raw.get("versions")
    if not isinstance(versions, dict) or not _are_texts(raw.get("worker"), *versions, *versions.values()):
        raise ValueError("it does not say who answers")
    made: Verdict | KitError | None = None
    if isinstance(raw.get("failed"), str):
        made = KitError(visible(raw["failed"][:2000]))
    elif isinstance(raw.get("verdict"), str):
        made = sound(_verdict(raw["verdict"]), job)
    return Answer(raw["worker"], versions, made)


def sound(verdict: Verdict, job: Job) -> Verdict:
    """The verdict, when it is one that the job's lesson can lead to. Raises ValueError, saying what is wrong."""
    if verdict.lesson != job.lesson:
        raise ValueError("a verdict on another lesson")
    if verdict.kit != looplift.__version__:
        raise ValueError("a verdict of another kit")
    if not _are_texts(verdict.submission, verdict.flag) or not _is_number(verdict.seconds):
        raise ValueError("a verdict with parts that are none")
    if not all(_are_texts(it.id, it.text) and _is_place(it.where) for it in verdict.remarks):
        raise ValueError("a remark that is none")
    if not all(_is_result(it) for it in verdict.checks):
        raise ValueError("a check with parts that are none")
    if {it.name: it.possible for it in verdict.checks} != _points(job.lesson):
        raise ValueError("other checks than those of the lesson")
    if len(verdict.checks) != len(_points(job.lesson)):
        raise ValueError("a check that is there twice")
    return verdict


def _read(data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    if not isinstance(raw, dict):
        raise ValueError("no JSON object")
    return raw


def _verdict(text: str) -> Verdict:
    try:
        return Verdict.from_json(text)
    except (AttributeError, RecursionError) as error:  # a list where an object should be; nested without end
        raise ValueError(f"not a verdict: {error}") from None


def _is_result(it: CheckResult) -> bool:
    if not _are_texts(it.name, it.title) or it.status not in ("pass", "mend", "follows"):
        return False
    if not _is_number(it.points) or not _is_number(it.possible) or not 0 <= it.points <= it.possible:
        return False
    return it.finding is None or _is_finding(it.finding)


def _is_finding(it: Finding) -> bool:
    return (
        _are_texts(it.id, it.saw, it.expected, it.so, it.next)
        and _is_place(it.where)
        and isinstance(it.data, dict)
    )


def _is_place(it: Place | None) -> bool:
    return it is None or (
        _are_texts(it.file, it.source) and type(it.line) is int and (it.cell is None or type(it.cell) is int)
    )


def _are_texts(*values: Any) -> bool:
    return all(isinstance(it, str) and len(it) <= _TEXT for it in values)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


@lru_cache
def _points(lesson: str) -> dict[str, float]:
    """{check: points possible}, as the graded cells of the lesson's notebook have it."""
    marks = (cell["metadata"].get("nbgrader", {}) for cell in find_lesson(lesson).notebook["cells"])
    return {it["grade_id"].removeprefix(_CHECK): float(it["points"]) for it in marks if it.get("grade")}
