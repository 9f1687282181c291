"""After grading: what a class has, how it did on each check, which mistakes were made, what a person must look at."""

from looplift.report.reading import read_report
from looplift.report.report import CheckTally, Entry, LessonReport, Made, Mistake, Report, Student

__all__ = [
    "CheckTally",
    "Entry",
    "LessonReport",
    "Made",
    "Mistake",
    "Report",
    "Student",
    "read_report",
]
