"""What the course's check of itself found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing an author has to mend before a lesson can be taught.

    lesson: its folder name. what: what is wrong, as a sentence. where: file and, when it helps, cell or line.
    next: what to do.
    """

    lesson: str
    what: str
    where: str
    next: str

    def __str__(self) -> str:
        return f"{self.lesson}: {self.what} ({self.where}). {self.next}"
