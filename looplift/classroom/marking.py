"""Marking: from a verdict to points for each graded cell, and whether a person must look."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

import nbformat

from looplift.classroom.handin import Handin
from looplift.classroom.master import MasterCell
from looplift.verdict import CheckResult, Remark, Verdict
from looplift.verdict.text import visible

PREFIX = "check-"  # the graded cell of test_<name> has the nbgrader id check-<name>


@dataclass(frozen=True)
class Mark:
    """What one graded cell gets. check: None when it was not judged and waits for a person."""

    cell: MasterCell
    check: CheckResult | None

    @property
    def points(self) -> float | None:
        return None if self.check is None else self.check.points


@dataclass(frozen=True)
class Marking:
    """A hand-in with its verdict, as it is recorded and shown.

    verdict: its points are those of the notebook's cells, its flag and remarks also tell what was mended.
    """

    handin: Handin
    verdict: Verdict
    marks: tuple[Mark, ...]

    @property
    def flag(self) -> str:
        """Why a person must look, "" when nobody must."""
        return self.verdict.flag

    @property
    def points(self) -> float:
        return sum(mark.points or 0.0 for mark in self.marks)

    @property
    def possible(self) -> float:
        return self.handin.master.possible

    @property
    def sentence(self) -> str:
        """The one sentence that tables tell, fit to be printed."""
        return visible(self.verdict.sentence)

    @property
    def fingerprint(self) -> str:
        """Names all that is recorded; equal fingerprints need not be recorded twice."""
        digest = hashlib.sha256(nbformat.writes(self.handin.notebook).encode())
        told = replace(self.verdict, seconds=0.0)  # how long it took is not recorded in the gradebook
        for part in (told.to_json(), repr(self.handin.master)):
            digest.update(b"\0" + part.encode("utf-8", "replace"))
        return digest.hexdigest()


def mark(handin: Handin, verdict: Verdict) -> Marking:
    """Give each graded cell its check's points, in the cell's own measure when an instructor changed that."""
    cells = {
        cell.grade_id.removeprefix(PREFIX): cell
        for cell in handin.master.graded
        if cell.cell_type == "code" and not cell.solution  # else an instructor's own question, graded by hand
    }
    checks = tuple(_in_measure(check, cells.get(check.name)) for check in verdict.checks)
    made = {check.name: check for check in checks}
    marks = tuple(Mark(cell, made.get(name)) for name, cell in cells.items())
    reasons = list(handin.reasons)
    lost = [mark.cell.grade_id for mark in marks if mark.check is None]
    if checks and lost:
        reasons.append(f"no graded test belongs to {', '.join(lost)}")
    notes = tuple(Remark("mended", note) for note in handin.notes)
    told = replace(
        verdict, checks=checks, flag=_joined([*reasons, verdict.flag]), remarks=verdict.remarks + notes
    )
    return Marking(handin, told, marks)


def _joined(reasons: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason))


def _in_measure(check: CheckResult, cell: MasterCell | None) -> CheckResult:
    """A check with points between 0 and what its cell is worth: nbgrader loses a student who got more."""
    if cell is None:
        return check
    full = 1.0 if check.status == "pass" else 0.0
    share = check.points / check.possible if check.possible > 0 else full
    return replace(check, possible=cell.points, points=round(min(max(share, 0.0), 1.0) * cell.points, 6))
