"""Words that a shell completes where a lesson is asked for."""

from __future__ import annotations

from looplift.lesson import LessonError, lessons


def lesson_words(incomplete: str) -> list[str]:
    """Names of lessons that begin as typed, with their number or without it."""
    try:
        every = lessons()
    except LessonError:  # a shell has no use for the reason
        return []
    names = [it.name for it in every if it.name.startswith(incomplete)]
    return names or [it.slug for it in every if it.slug.startswith(incomplete)]
