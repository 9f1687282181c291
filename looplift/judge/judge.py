"""Make a verdict: run the graded tests in order, one cause at a time."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from looplift import __version__
from looplift.checks.points import Mend
from looplift.evidence import Evidence, Live
from looplift.fault import KitError
from looplift.hidden.plan import Sizes
from looplift.judge.graded import GradedTest, GradedTests
from looplift.lesson import Lesson
from looplift.submission import Submission
from looplift.verdict import CheckResult, Finding, Verdict

PRACTICE = "practice"  # the secret used outside a course: at home the hidden data may be known
# Mistakes that change no weight or number, so nothing later can follow from them.
WITHOUT_CONSEQUENCE = {
    "manual-move",
    "plain-backward",
    "printed-by-every-rank",
    "nothing-printed",
    "unprepared-optimizer",
    "rows-prepared-twice",
    "not-launched",
    "no-num-processes",
    "other-process-count",
    "launcher-result",
    "seed-not-first",
}
# What is only said when nothing more exact was found; after another mistake it says nothing new.
UNSPECIFIC = {"weights-differ", "processes-differ", "gradient-scaled", "gradients-not-shared", "other-metric",
              "other-gradient", "measured-too-early", "ranks-report-different-numbers"}  # fmt: skip

# What the first of two mistakes explains, so that the second is no news.
EXPLAINS = {
    "no-accelerator": {
        "constant-left-behind",
        "plain-backward",
        "unprepared-model",
        "unprepared-optimizer",
        "unprepared-loader",
    },
    "no-backward": {"other-step-count", "too-few-epochs"},
    "device-before-launch": {"manual-move", "hard-coded-device"},
}
_REPLACED = "the submission replaced"


def _follows(finding_id: str, earlier: list[str]) -> bool:
    if finding_id in earlier or any(finding_id in EXPLAINS.get(it, ()) for it in earlier):
        return True
    return finding_id in UNSPECIFIC and any(it not in WITHOUT_CONSEQUENCE for it in earlier)


def result_of(test: GradedTest, mend: Mend | None, earlier: list[str]) -> CheckResult:
    """What a graded test came to. earlier: ids of what the tests before it found."""
    if mend is None:
        return CheckResult(test.name, test.title, test.points, test.points, "pass")
    if _follows(mend.finding.id, earlier):
        return CheckResult(test.name, test.title, test.points, 0, "follows")
    return CheckResult(test.name, test.title, test.points, 0, "mend", mend.finding)


def _run(test: GradedTest, evidence: Evidence) -> Mend | None:
    try:
        test.run(evidence)
    except Mend as mend:
        return mend
    except KitError:
        raise
    except Exception as error:  # a check may fall over a record that is made up; else it is the kit's fault
        doubts = [doubt for run in evidence.runs for doubt in run.doubts]
        if not doubts:
            raise
        return Mend(_not_to_be_told(f"{doubts[0]} ({type(error).__name__})"))
    return None


def _not_to_be_told(why: str) -> Finding:
    return Finding("", f"what it did cannot be told from the record of its run: {why}",
                   expected="a run whose record nothing else writes", so="an instructor will look at it",
                   next="leave the grader's own parts alone and hand it in again")  # fmt: skip


def _doubted(check: CheckResult, why: str) -> CheckResult:
    """A check that the record says is passed, when the record cannot be believed: a person decides."""
    if check.status != "pass":
        return check
    return CheckResult(check.name, check.title, check.possible, 0, "mend", _not_to_be_told(why))


def verdict_on(evidence: Evidence, results: list[CheckResult]) -> Verdict:
    """The verdict that results make, flagged when something smells."""
    submission = evidence.submission
    flags = [submission.flag] if submission.flag else []
    tampered = sorted({name for run in evidence.runs for name in run.tampered})
    if tampered:
        shown = ", ".join(tampered[:5]) + (f" and {len(tampered) - 5} more" if len(tampered) > 5 else "")
        flags.append(f"{_REPLACED} {shown} while it ran")
    flags += sorted(
        {smell for run in evidence.runs for smell in run.smells if not smell.startswith(_REPLACED)}
    )
    doubts = sorted({doubt for run in evidence.runs for doubt in run.doubts})
    if doubts:
        results = [_doubted(it, doubts[0]) for it in results]
    return Verdict(
        lesson=evidence.lesson.name,
        submission=submission.file,
        checks=tuple(results),
        remarks=submission.remarks,
        flag="; ".join(flags),
        kit=__version__,
    )


def judge(
    lesson: Lesson,
    graded: GradedTests,
    submission: Submission,
    sizes: Sizes,
    folder: Path,
    live: Live | None = None,
    progress: Callable[[str], None] | None = None,
    sandbox: bool = False,
) -> Verdict:
    """Judge one submission in this process, which must have been made for it (see judge.fork).

    sizes: of its hidden runs. folder: where the runs may leave their evidence.
    sandbox: whether each run is enclosed, see looplift.sandbox; only where `sandbox.available()` is "".
    Raises KitError when the kit itself fails.
    """
    before = _processor_seconds()
    evidence = Evidence(
        lesson, submission, graded.task, sizes, folder, live, progress=progress, sandbox=sandbox
    )
    results: list[CheckResult] = []
    for test in graded.tests:
        earlier = [it.finding.id for it in results if it.finding]
        results.append(result_of(test, _run(test, evidence), earlier))
    return replace(verdict_on(evidence, results), seconds=round(_processor_seconds() - before, 2))


def _processor_seconds() -> float:
    """What this process and those of its children that it has waited for have used."""
    return sum(os.times()[:4])
