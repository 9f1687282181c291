"""The error that is nobody's answer: the kit's own fault, or the machine's."""

from __future__ import annotations


class KitError(Exception):
    """Something that is the kit's fault or the machine's, never the student's; the text says what and what to do."""
