"""Lessons on disk: where they lie, what they are called, what they hold."""

from looplift.lesson.lesson import Lesson, LessonError
from looplift.lesson.shelf import (
    answers_folder,
    clone_folder,
    data_folder,
    find_lesson,
    graded_folder,
    lessons,
    lessons_folder,
    solutions_folder,
)

__all__ = [
    "Lesson",
    "LessonError",
    "answers_folder",
    "clone_folder",
    "data_folder",
    "find_lesson",
    "graded_folder",
    "lessons",
    "lessons_folder",
    "solutions_folder",
]
