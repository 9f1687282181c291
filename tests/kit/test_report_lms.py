"""The CSV that Canvas and Moodle import: columns, points possible, who has no id, what still waits."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from reported import a_class, entry, verdict

from looplift.classroom.spreadsheet import harmless
from looplift.report import Report, Student
from looplift.report.lms import canvas_sheet, lms_sheet, moodle_sheet
from looplift.report.tally import lesson_report


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def class_of(*students: Student, points: float = 5.0) -> Report:
    entries = [entry(it, verdict(), points=points) for it in students]
    return Report("term", students, (lesson_report("01_first_loop", 7.0, entries),))


def test_canvas_gets_its_columns_the_points_possible_and_one_column_a_lesson() -> None:
    head, possible, *students = rows(canvas_sheet(a_class()).text)
    assert head == [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        "01_first_loop",
        "02_warmup_schedule",
    ]
    assert possible == ["    Points Possible", "", "", "", "", "7", "10"]
    assert len(students) == 5
    assert students[0] == ["Ahn, Ann", "4711", "", "ann", "", "6", ""]


def test_an_lms_id_that_is_no_number_is_the_sis_id_for_canvas() -> None:
    assert rows(canvas_sheet(a_class()).text)[3] == ["Doe, Jr., Bob", "", "sis-17", "bob", "", "2", ""]


def test_canvas_is_told_by_whom_there_is_no_id_and_what_waits_for_a_person() -> None:
    sheet = canvas_sheet(a_class())
    assert rows(sheet.text)[-1][-2:] == ["", ""]  # eve's points are not given before a person has looked
    assert [it.split(".")[0] for it in sheet.notes] == [
        "Left empty, as these grades still wait for a person: eve in 01_first_loop",
        "No Canvas id in the gradebook: cy",
    ]


def test_moodle_gets_one_identifier_and_one_column_a_lesson_with_its_points() -> None:
    head, *students = rows(moodle_sheet(a_class()).text)
    assert head == [
        "Email address",
        "Last name",
        "First name",
        "01_first_loop (7 points)",
        "02_warmup_schedule (10 points)",
    ]
    assert students[1] == ["bob@example.org", "Doe, Jr.", "Bob", "2", "-"]
    assert [it[3] for it in students] == ["6", "2", "2", "-"]


def test_moodle_never_gets_a_row_without_identifier_as_the_student_above_would_get_its_grades() -> None:
    sheet = moodle_sheet(a_class())
    assert [it[0] for it in rows(sheet.text)[1:]] == [
        f"{it}@example.org" for it in ("ann", "bob", "dee", "eve")
    ]
    assert any(
        it.startswith("Left out, without email address of their own in the gradebook: cy.")
        for it in sheet.notes
    )


def test_moodle_leaves_out_both_of_two_students_with_one_address() -> None:
    twice = class_of(
        *(Student(it, email="same@example.org") for it in "ab"), Student("c", email="c@example.org")
    )
    sheet = moodle_sheet(twice)
    assert [it[0] for it in rows(sheet.text)[1:]] == ["c@example.org"]
    assert "a; b" in sheet.notes[0]


@pytest.mark.parametrize(
    ("students", "column", "identifiers"),
    [
        ((Student("ann"), Student("bob")), "Username", ["ann", "bob"]),
        ((Student("ann", lms_id="77"), Student("bob", lms_id="78")), "ID number", ["77", "78"]),
        ((Student("ann@example.org"), Student("bob@example.org")), "Email address",
         ["ann@example.org", "bob@example.org"]),
    ],
)  # fmt: skip
def test_moodle_finds_students_by_what_the_gradebook_knows_of_them(
    students: tuple[Student, ...], column: str, identifiers: list[str]
) -> None:
    head, *found = rows(moodle_sheet(class_of(*students)).text)
    assert head[0] == column
    assert [it[0] for it in found] == identifiers


def test_moodle_is_told_of_points_above_the_maximum() -> None:
    assert moodle_sheet(class_of(Student("ann"), points=8.0)).notes[-1].endswith("ann in 01_first_loop.")
    assert "More than" not in " ".join(moodle_sheet(class_of(Student("ann"), points=7.0)).notes)


def test_one_who_is_not_graded_yet_gets_nothing() -> None:
    whole = a_class()
    (lesson, other) = whole.lessons
    late = lesson_report(lesson.name, 7.0, [replace(it, ungraded=not it.handed_in) for it in lesson.entries])
    changed = replace(whole, lessons=(late, other))
    assert rows(canvas_sheet(changed).text)[4] == ["cy", "", "", "cy", "", "", ""]


def test_an_identifier_that_a_spreadsheet_would_run_is_none() -> None:
    odd = Student("@bob", "=2+3", "Bob", "+bob@example.org", "-1")
    assert rows(canvas_sheet(class_of(odd)).text)[2] == ["Bob, =2+3", "", "", "", "", "5"]
    assert rows(moodle_sheet(class_of(odd)).text)[1:] == []


@pytest.mark.parametrize("text", ["=1+1", "+1", "-cmd", "@sum", " =1", "\t=1", "\uff1d1"])
def test_what_a_spreadsheet_takes_for_a_formula_becomes_text(text: str) -> None:
    assert harmless(text).startswith("'")


@pytest.mark.parametrize("text", ["Doe, Jane", "a=b", "-", "", "O'Neil", "반"])
def test_other_names_stay_as_they_are(text: str) -> None:
    assert harmless(text) == text


def test_a_name_of_several_lines_is_written_in_one() -> None:
    assert harmless("a\nb\x1b[31m") == "a b\\x1b[31m"


def test_the_system_is_chosen_by_name(tmp_path: Path) -> None:
    assert lms_sheet(a_class(), "canvas") == canvas_sheet(a_class())
    assert lms_sheet(a_class(), "moodle") == moodle_sheet(a_class())
