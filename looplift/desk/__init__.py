"""The desk: a student's own copy of the lessons, and the notes on how far they are."""

from looplift.desk.copies import Started, put_back, start
from looplift.desk.desk import Desk, DeskError, find_desk, open_desk
from looplift.desk.hints import Hint, hints_of
from looplift.desk.notes import Note
from looplift.desk.standing import Standing, lesson_meant, next_up, standings

__all__ = [
    "Desk",
    "DeskError",
    "Hint",
    "Note",
    "Standing",
    "Started",
    "find_desk",
    "hints_of",
    "lesson_meant",
    "next_up",
    "open_desk",
    "put_back",
    "standings",
    "start",
]
