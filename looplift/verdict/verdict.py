"""What a submission is told: data first, every page and table is made from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 1


@dataclass(frozen=True)
class Place:
    """Where in the student's file: code cell (as in `In [7]` after run-all; None in a script), line, text."""

    file: str
    line: int
    cell: int | None = None
    source: str = ""

    def __str__(self) -> str:
        at = (
            f"cell {self.cell}, line {self.line}"
            if self.cell is not None
            else f"{self.file}, line {self.line}"
        )
        return f"{at}    {self.source}" if self.source else at


@dataclass(frozen=True)
class Finding:
    """One thing to mend: what was seen, what follows from it, where, and what to do next.

    id: the kind of mistake, such as `unprepared-loader`; the key for translation and explanation.
    data: the values that the sentences were made of, for translation.
    """

    id: str
    saw: str
    expected: str = ""
    so: str = ""
    where: Place | None = None
    next: str = ""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckResult:
    """One check: `status` is `pass`, `mend` (the finding says why) or `follows` (from an earlier mend)."""

    name: str
    title: str
    possible: float
    points: float
    status: str
    finding: Finding | None = None


@dataclass(frozen=True)
class Remark:
    """Something worth saying that costs nothing."""

    id: str
    text: str
    where: Place | None = None


@dataclass(frozen=True)
class Verdict:
    """The whole judgement on one submission.

    flag: why a person must look at it (broken notebook, tampering), or "" when nobody must.
    seconds: processor time that judging took, its runs included; 0 when it was not measured. The machine's mood is
    in it, so it is no part of what makes two verdicts equal.
    """

    lesson: str
    submission: str
    checks: tuple[CheckResult, ...]
    remarks: tuple[Remark, ...] = ()
    flag: str = ""
    kit: str = ""
    format: int = FORMAT
    seconds: float = field(default=0.0, compare=False)

    @property
    def points(self) -> float:
        return sum(check.points for check in self.checks)

    @property
    def possible(self) -> float:
        return sum(check.possible for check in self.checks)

    @property
    def passed(self) -> bool:
        return bool(self.checks) and all(check.status == "pass" for check in self.checks)

    @property
    def first(self) -> CheckResult | None:
        """The first thing to mend, or None when all passed."""
        return next((check for check in self.checks if check.status != "pass"), None)

    @property
    def sentence(self) -> str:
        """The one sentence a student or a table is told."""
        if self.first is None:
            return "everything passed" if self.checks else (self.flag or "nothing was judged")
        finding = self.first.finding
        if finding is None:
            return self.first.title
        said = finding.saw + (f", so {finding.so}" if finding.so else "")
        if finding.where is not None:
            at = finding.where
            said += f" ({f'cell {at.cell}, ' if at.cell is not None else ''}line {at.line})"
        return said

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Verdict:
        """Read what `to_json` wrote. Raises ValueError when it is something else."""
        try:
            raw = json.loads(text)
            if raw["format"] != FORMAT:
                raise ValueError(f"verdict format {raw['format']}, this kit reads {FORMAT}")
            raw["checks"] = tuple(_check(it) for it in raw["checks"])
            raw["remarks"] = tuple(Remark(it["id"], it["text"], _place(it["where"])) for it in raw["remarks"])
            return cls(**raw)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"not a verdict: {error}") from error

    def write(self, path: Path) -> None:
        """Write whole or not at all."""
        part = path.with_name(path.name + ".part")
        part.write_text(self.to_json(), encoding="utf-8")
        part.replace(path)


def _place(raw: dict[str, Any] | None) -> Place | None:
    return Place(**raw) if raw else None


def _check(raw: dict[str, Any]) -> CheckResult:
    finding = raw.pop("finding")
    if finding:
        finding["where"] = _place(finding["where"])
        return CheckResult(**raw, finding=Finding(**finding))
    return CheckResult(**raw)


def all_failed(checks: Iterable[tuple[str, str, float]], finding: Finding) -> tuple[CheckResult, ...]:
    """Results for (name, title, possible) when one finding keeps every check from being made."""
    rows: list[CheckResult] = []
    for name, title, possible in checks:
        rows.append(
            CheckResult(name, title, possible, 0, "follows" if rows else "mend", None if rows else finding)
        )
    return tuple(rows)
