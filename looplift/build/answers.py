"""The answers on file: right ones must lose no point, wrong ones must be told what is wrong.

A file holds what a student types into the answer cell. Its head says `# why:` it is right, or which check `# fails:`
first, a part of what it `# says:`, which `# kind:` of mistake it is and, where it can, a part of the line that is shown
(`# where:`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from looplift.build.problem import Problem
from looplift.lesson import Lesson, answers_folder
from looplift.verdict import Finding, Verdict

RIGHT_AT_LEAST, WRONG_AT_LEAST = 6, 12  # for each lesson
_HEADS = {"right_": ("why",), "wrong_": ("fails", "says", "kind")}
_LINE = re.compile(r"# (\w+): (.*\S)")


@dataclass(frozen=True)
class Answer:
    """One answer file."""

    path: Path

    @property
    def right(self) -> bool:
        return self.path.name.startswith("right_")

    @property
    def place(self) -> str:
        """Where it lies in a clone."""
        return f"tests/answers/{self.path.parent.name}/{self.path.name}"

    @cached_property
    def head(self) -> dict[str, str]:
        """What the comments at the top say: `why`, or `fails`, `says`, `where` and `kind`."""
        found: dict[str, str] = {}
        for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
            if not line.startswith("#"):
                break
            if entry := _LINE.fullmatch(line.rstrip()):
                found.setdefault(entry[1], entry[2])
        return found


def answers_of(lesson: Lesson) -> list[Answer]:
    """A lesson's answers, right ones first. Raises LessonError in an installed wheel."""
    return [Answer(path) for path in sorted((answers_folder() / lesson.name).glob("*.py"))]


def check_heads(lesson: Lesson) -> list[Problem]:
    """Answers whose name or head does not say what is expected of them."""
    problems = []
    for answer in answers_of(lesson):
        needed = next((it for name, it in _HEADS.items() if answer.path.name.startswith(name)), None)
        if needed is None:
            step = "Call it right_NAME.py or wrong_NAME.py."
            problems.append(Problem(lesson.name, "an answer is neither right nor wrong", answer.place, step))
            continue
        for key in needed:
            if key not in answer.head:
                step = f"Begin the file with a line `# {key}: ...`, before its code."
                problems.append(Problem(lesson.name, f"an answer has no `# {key}:`", answer.place, step))
    return problems


def check_counts(lesson: Lesson, checks: Collection[str]) -> list[Problem]:
    """Whether there are enough answers. checks: names of the graded tests; each has to be failed by some
    answer. None when they cannot be told."""
    answers = answers_of(lesson)
    wrong = [it for it in answers if not it.right]
    folder = f"tests/answers/{lesson.name}"
    problems = []
    for answer in wrong:
        fails = answer.head.get("fails", "")
        if checks and fails and fails not in checks:
            step = f"Name one of {', '.join(checks)}."
            problems.append(Problem(lesson.name, f"there is no check `{fails}` to fail", answer.place, step))
    for kind, have, least in (
        ("right", len(answers) - len(wrong), RIGHT_AT_LEAST),
        ("wrong", len(wrong), WRONG_AT_LEAST),
    ):
        if have < least:
            what = f"{least - have} more {kind} answers are needed ({have} of {least})"
            step = (
                "Write the same training in other styles, each with a line `# why:` it is right."
                if kind == "right"
                else "Write one for each mistake that you expect, with `# fails:`, `# says:` and `# kind:`."
            )
            problems.append(Problem(lesson.name, what, folder, step))
    failed = {it.head.get("fails") for it in wrong}
    for name in checks:
        if name not in failed:
            step = "Write one, so that the check is seen to find something."
            problems.append(Problem(lesson.name, f"no wrong answer fails first at `{name}`", folder, step))
    return problems


def misjudged(lesson: Lesson, answer: Answer, verdict: Verdict) -> list[Problem]:
    """How the verdict on an answer differs from what its head says; nothing when it does not."""
    found = _of_right(answer, verdict) if answer.right else _of_wrong(answer, verdict)
    return [Problem(lesson.name, what, answer.place, step) for what, step in found]


def lost(verdict: Verdict) -> str:
    """What a solution that should pass loses, and why, in one sentence part; "" when it loses nothing."""
    if verdict.points == verdict.possible and verdict.passed:
        return f"is flagged: {verdict.flag}" if verdict.flag else ""
    name = verdict.first.name if verdict.first else "no check"
    points = f"{verdict.possible - verdict.points:g} of {verdict.possible:g} points"
    return f"loses {points} at `{name}`: {verdict.sentence}"


def _of_right(answer: Answer, verdict: Verdict) -> list[tuple[str, str]]:
    said = lost(verdict)
    step = "Mend the check, not the answer, unless it is wrong after all. To see it again: " + _again(answer)
    return [(f"a right answer {said}", step)] if said else []


def _of_wrong(answer: Answer, verdict: Verdict) -> list[tuple[str, str]]:
    first, step = (
        verdict.first,
        f"Sharpen the check, or mend the answer's head. To see it again: {_again(answer)}",
    )
    if first is None:
        return [("a wrong answer passes every check", step)]
    finding = first.finding
    if finding is None:
        return [(f"a wrong answer fails at `{first.name}` and is told nothing", step)]
    fails, says, where = (answer.head.get(key, "") for key in ("fails", "says", "where"))
    if fails and first.name != fails:
        return [(f"a wrong answer fails first at `{first.name}`, not at `{fails}`: {verdict.sentence}", step)]
    found = []
    if says not in told(verdict, finding):
        found.append((f"a wrong answer is not told {says!r} but: {verdict.sentence}", step))
    if not finding.next:
        found.append((f"a wrong answer is not told what to do next: {verdict.sentence}", step))
    if where and (finding.where is None or where not in finding.where.source):
        shown = repr(finding.where.source.strip()) if finding.where else "no line"
        found.append((f"a wrong answer is shown {shown}, not {where!r}", step))
    elif where and finding.where and finding.where.file != answer.path.name:
        found.append((f"a wrong answer is shown a line of {finding.where.file}", step))
    return found


def told(verdict: Verdict, finding: Finding) -> str:
    """Everything that is said of the first thing to mend."""
    return "\n".join((verdict.sentence, finding.saw, finding.so, finding.expected, finding.next))


def _again(answer: Answer) -> str:
    return f"looplift check --answer {answer.place} {answer.path.parent.name.split('_', 1)[0]}"
