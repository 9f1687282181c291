"""What a graded test is worth, and how it says that something is to be mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from looplift.verdict import Finding

Test = TypeVar("Test", bound=Callable[..., Any])


def points(worth: float) -> Callable[[Test], Test]:
    """Say how many points a graded test is worth. The first line of its docstring is its title."""

    def mark(test: Test) -> Test:
        test.points = float(worth)  # type: ignore[attr-defined]
        return test

    return mark


class Mend(AssertionError):
    """A check failed; `finding` says what was seen, what was expected, where, and what to do next."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        lines = [f"{finding.saw}{f', so {finding.so}' if finding.so else ''} [{finding.id}]"]
        if finding.where:
            lines.append(f"  where  {finding.where}")
        if finding.next:
            lines.append(f"  next   {finding.next}")
        super().__init__("\n".join(lines))


@contextmanager
def on_one_process(processes: int) -> Iterator[None]:
    """Let what is to be mended in a run of one process say so, as everything else that is said is about two."""
    try:
        yield
    except Mend as mend:
        if processes > 1:
            raise
        raise Mend(replace(mend.finding, saw=f"on one process {mend.finding.saw}")) from None
