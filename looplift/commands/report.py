"""`looplift report DIR`: what a class has, how it did on each check, which mistakes were made."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path

import typer

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors


class System(str, Enum):
    """Learning management systems whose CSV can be written."""

    canvas = "canvas"
    moodle = "moodle"


def add(app: typer.Typer) -> None:
    @app.command()
    def report(
        folder: Path = typer.Argument(..., help="The course directory."),
        assignment: list[str] = typer.Option(None, "--assignment", "-a", help="Only these assignments."),
        csv: Path = typer.Option(None, "--csv", metavar="OUT", help="Write the CSV to this file."),
        html: Path = typer.Option(
            None, "--html", metavar="OUT", help="Write a page with charts to this file."
        ),
        lms: System = typer.Option(
            None, "--lms", help="Write the CSV that Canvas or Moodle imports; DIR/LMS.csv without --csv."
        ),
        as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    ) -> None:
        """Show what a graded class has: points, checks, mistakes, who needs a look.

        Example: looplift report ddp-2027

        For Moodle: looplift report ddp-2027 --lms moodle --csv grades-for-moodle.csv
        """
        with one_line_errors():
            from looplift.classroom import open_course
            from looplift.report import read_report

            course = open_course(folder)
            made = read_report(course, assignment or None)
            if lms:
                from looplift.report.lms import lms_sheet

                sheet = lms_sheet(made, lms.value)
                path = csv or course.folder / f"{lms.value}.csv"
                _write(path, sheet.text)
                for note in sheet.notes:
                    screen(stderr=True).print(note)
            elif csv:
                from looplift.report.sheet import report_csv

                _write(csv, report_csv(made))
            if html:
                from looplift.report.page import report_page

                _write(html, report_page(made))
        if as_json:
            from looplift.report.data import report_data

            print(json.dumps(report_data(made), ensure_ascii=False, indent=1))
        elif not (csv or html or lms):
            from looplift.report.text import show_report

            show_report(made, screen())


def _write(path: Path, text: str) -> None:
    """Write a file, whose path is told on stderr: stdout may be JSON."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    typer.echo(f"Wrote {path}", err=True)
