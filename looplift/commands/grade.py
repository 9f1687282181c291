"""`looplift grade DIR`: judge and record everything that was handed in."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors
from looplift.commands.progress import Shown

if TYPE_CHECKING:
    from looplift.classroom import Course
    from looplift.pool import Judges


def add(app: typer.Typer) -> None:
    @app.command()
    def grade(
        folder: Path = typer.Argument(..., help="The course directory."),
        assignment: list[str] = typer.Option(None, "--assignment", "-a", help="Only these assignments."),
        processes: int = typer.Option(
            0,
            "--jobs",
            "-j",
            min=0,
            help="How many submissions are judged at once.  [default: one for each core]",
        ),
        again: bool = typer.Option(
            False,
            "--again",
            help="Run every submission again, also where there is a verdict on this very content.",
        ),
        force: bool = typer.Option(
            False,
            "--force",
            help="Write into the gradebook again what stands there already; nothing is run for it.",
        ),
        pages: bool = typer.Option(True, "--feedback/--no-feedback", help="Make the feedback pages."),
        sandbox: bool = typer.Option(
            True,
            "--sandbox/--no-sandbox",
            help="Enclose what students wrote; without, it may do what you may.",
        ),
        cluster: str = typer.Option(
            "", "--cluster", metavar="ADDRESS", help="Let a Dask cluster judge, such as tcp://HOST:8786."
        ),
        as_json: bool = typer.Option(False, "--json", help="Print the rows as JSON."),
    ) -> None:
        """Judge all submissions of a course, record them with nbgrader, make the feedback pages.

        Verdicts are kept as they are made: stop it whenever you like, and the next run does what is missing.

        Example: looplift grade ddp-2027 -j 4

        Exit code 0: everything graded, 1: some need a look by a person, 2: cannot run.
        """
        with one_line_errors():
            from looplift.classroom.course import open_course

            course = open_course(folder)
            shown = Shown(screen(stderr=True))
            try:
                with shown, _judging(course, cluster, processes, sandbox, shown.say) as judges:
                    from looplift.classroom import export, feedback, grade_course

                    rows = grade_course(
                        course, None, shown, force, assignment or None, again=again, judges=judges
                    )
                    troubles = feedback(course, shown) if pages else []
                    grades = export(course)
            except KeyboardInterrupt:
                again_with = f"looplift grade {folder}" + (f" --cluster {cluster}" if cluster else "")
                typer.echo(f"looplift: stopped. {shown.kept}\nGo on with: {again_with}", err=True)
                raise typer.Exit(130) from None
        if as_json:
            print(json.dumps([asdict(row) for row in rows], default=str, ensure_ascii=False, indent=1))
        else:
            from looplift.commands.gradetable import print_rows

            print_rows(rows, screen())
            print(f"\n{len(rows)} submissions graded. Gradebook: {_gradebook(course)}")
            made = f"Feedback pages: {course.folder / 'feedback'}. " if pages else ""
            print(f"{made}Grades: {grades}")
            for trouble in troubles:
                print(f"No feedback page: {trouble.student}, {trouble.lesson}: {trouble.why}")
        raise typer.Exit(1 if troubles or any(row.flag for row in rows) else 0)


def _gradebook(course: Course) -> str:
    """Where the grades are: the course's file, or the server that its configuration names."""
    from looplift.classroom.database import gradebook_name
    from looplift.classroom.session import open_session

    return gradebook_name(open_session(course).db_url)


def _judging(
    course: Course, cluster: str, processes: int, sandbox: bool, say: Callable[[str], None]
) -> AbstractContextManager[Judges]:
    """Who makes the verdicts: a cluster, or warm processes here, which import while this one imports nbgrader."""
    if cluster:
        from looplift.cluster import cluster_judges

        return cluster_judges(cluster, processes, sandbox, say)
    from looplift.classroom.warmth import lessons_to_expect, require_sandbox, warm_judges

    if sandbox:
        require_sandbox()
    return warm_judges(processes, sandbox, say, lessons_to_expect(course))
