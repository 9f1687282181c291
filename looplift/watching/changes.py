"""What changed from one verdict to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from looplift.verdict import CheckResult, Finding, Verdict


@dataclass(frozen=True)
class Change:
    """One check that now comes out otherwise. text: its title, and with `now says` what it says."""

    kind: Literal["now passes", "now fails", "now says"]
    text: str


def changes(before: Verdict, after: Verdict) -> list[Change]:
    """The changes in the order of the checks. A line number that moved is no change."""
    earlier = {it.name: it for it in before.checks}
    found = []
    for check in after.checks:
        change = _change(earlier[check.name], check) if check.name in earlier else None
        if change is not None:
            found.append(change)
    return found


def _change(before: CheckResult, after: CheckResult) -> Change | None:
    was, does = before.status == "pass", after.status == "pass"
    if does and not was:
        return Change("now passes", after.title)
    if was and not does:
        return Change("now fails", after.title)
    if after.finding is not None and _words(after.finding) != _words(before.finding):
        return Change("now says", f"{after.title}: {after.finding.saw}")
    return None


def _words(finding: Finding | None) -> tuple[str, str, str] | None:
    return None if finding is None else (finding.id, finding.saw, finding.so)
