"""A case: what is to be judged, and under which conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from looplift.evidence import Live
from looplift.hidden.plan import Sizes
from looplift.lesson import Lesson
from looplift.submission import Submission


@dataclass(frozen=True)
class Case:
    """What is to be judged: how to read the submission, and the live function when a notebook asks.

    sizes: of the hidden runs; those for practice, which anyone may know, when None. sandbox: whether the submission's
    runs are enclosed, see looplift.sandbox.
    """

    lesson: Lesson
    read: Callable[[], Submission]
    name: str
    sizes: Sizes | None = None
    live: Live | None = None
    sandbox: bool = False
