"""What a long run tells while it goes on, and what it could not do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """Something that happened to a submission.

    stage: `judge`, `record` or `feedback`, when one step of it is done; `run` when something is being run for it.
    done, total: of the steps, 0 for `run`. text: the outcome, or what is being run. outcome: of judging, one of
    `passed`, `mend`, `flagged`. known: whether the step had been done by an earlier run already.
    """

    stage: str
    done: int
    total: int
    student: str
    lesson: str
    text: str = ""
    outcome: str = ""
    known: bool = False


@dataclass(frozen=True)
class Trouble:
    """A submission for which something could not be done, and why."""

    student: str
    lesson: str
    why: str


Progress = Callable[[Event], None]


def silent(event: Event) -> None:
    """Progress for those who do not want to know."""
