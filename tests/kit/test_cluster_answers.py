"""What comes back from a cluster is believed only as far as it can be checked; versions are told by name."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from classroom_cases import verdict
from pool_cases import LESSON, job

import looplift
from looplift.cluster.answer import read_answer
from looplift.cluster.versions import FILES, differences, versions
from looplift.fault import KitError

HERE = {"looplift": "1.0", "torch": "2.4.1", FILES: "ab"}
GOOD = replace(verdict(LESSON, "half"), kit=looplift.__version__)


def answer(said: Any = None, **parts: Any) -> bytes:
    """What a worker sends: a verdict, parts of it replaced."""
    raw = json.loads(GOOD.to_json()) | parts
    text = json.dumps(raw) if said is None else said
    return json.dumps({"worker": "tcp://there:1", "versions": HERE, "verdict": text}).encode()


def check(**parts: Any) -> dict[str, Any]:
    """The verdict's checks, parts of the second one replaced."""
    checks = [asdict(it) for it in GOOD.checks]
    checks[1] |= parts
    return {"checks": checks}


def test_a_verdict_on_the_jobs_lesson_is_taken() -> None:
    read = read_answer(answer(), job())
    assert read.made == GOOD
    assert (read.worker, read.versions) == ("tcp://there:1", HERE)


def test_a_failure_is_taken_without_what_it_could_do_to_a_terminal() -> None:
    raw = {"worker": "w", "versions": HERE, "failed": "no space\x1b[2J left"}
    made = read_answer(json.dumps(raw).encode(), job()).made
    assert isinstance(made, KitError)
    assert str(made) == "no space\\x1b[2J left"


def test_a_worker_that_judged_nothing_says_only_what_it_is() -> None:
    assert read_answer(json.dumps({"worker": "w", "versions": HERE}).encode(), job()).made is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "NoneType instead of bytes"),
        (GOOD, "Verdict instead of bytes"),
        (b"x" * 4_000_001, "4000001 bytes"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "no JSON object"),
        (b"{}", "it does not say who answers"),
        (json.dumps({"worker": "w", "versions": {"torch": 2}}).encode(), "it does not say who answers"),
        (answer("[]"), "not a verdict"),
        (answer("{}"), "not a verdict"),
        (answer("[" * 100_000), "not a verdict"),
        (answer(format=99), "verdict format 99"),
        (answer(extra=1), "not a verdict"),
        (answer(checks=3), "not a verdict"),
        (answer(checks=[[]]), "not a verdict"),
        (answer(remarks=[{"id": 1, "text": "x", "where": None}]), "a remark that is none"),
        (answer(lesson="02_warmup_schedule"), "a verdict on another lesson"),
        (answer(kit="0.0"), "a verdict of another kit"),
        (answer(flag=["x"]), "parts that are none"),
        (answer(seconds="1"), "parts that are none"),
        (answer(checks=[]), "other checks than those of the lesson"),
        (answer(checks=check()["checks"] + check()["checks"][:1]), "a check that is there twice"),
        (answer(**check(name="free_points")), "other checks than those of the lesson"),
        (answer(**check(possible=200.0)), "other checks than those of the lesson"),
        (answer(**check(points=200.0)), "a check with parts"),
        (answer(**check(points=-1)), "a check with parts"),
        (answer(**check(points=float("nan"))), "a check with parts"),
        (answer(**check(points=True)), "a check with parts"),
        (answer(**check(status="excused")), "a check with parts"),
        (answer(**check(title=None)), "a check with parts"),
        (answer(**check(finding={"id": "x", "saw": ["y"], "where": None})), "a check with parts"),
        (
            answer(**check(finding={"id": "x", "saw": "y", "where": {"file": "f", "line": "1"}})),
            "a check with parts",
        ),
    ],
)
def test_what_is_no_verdict_on_the_job_is_refused(data: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_answer(data, job())


def test_versions_that_differ_are_named_with_those_here() -> None:
    assert differences(HERE, HERE) == ""
    assert differences(HERE, HERE | {"torch": "2.5.0"}) == "torch 2.5.0 (here 2.4.1)"
    both = {"looplift": "1.1", "torch": "2.5.0"}
    assert differences(HERE, both) == "looplift 1.1 (here 1.0), torch 2.5.0 (here 2.4.1)"
    assert differences(HERE, {"looplift": "1.0"}) == "torch unknown (here 2.4.1)"
    assert differences(HERE, HERE | {"numpy": "9"}) == ""


def test_other_files_under_the_same_version_are_told() -> None:
    said = "other files in its looplift 1.0: one of the two was changed after it was released"
    assert differences(HERE, HERE | {FILES: "cd"}) == said


def test_the_packages_that_a_verdict_depends_on_are_asked_for() -> None:
    found = versions()
    assert list(found) == [
        "looplift", "python", "torch", "accelerate", "transformers", "datasets", "distributed", FILES
    ]  # fmt: skip
    assert found["looplift"] == looplift.__version__
    assert "+" not in found["torch"]
