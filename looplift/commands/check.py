"""`looplift check`: judge one exercise."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from looplift.commands.collector import uncollected
from looplift.commands.completion import lesson_words
from looplift.commands.console import screen
from looplift.commands.fault import one_line_errors, stop
from looplift.desk import find_desk, lesson_meant, next_up, open_desk, standings
from looplift.desk.text import about, tell
from looplift.lesson import Lesson, LessonError, find_lesson, lessons
from looplift.submission import load_notebook, read_answer, read_submission
from looplift.submission.notebook import grade_id, source_of
from looplift.verdict import Verdict


def lesson_of(path: Path, word: str | None) -> Lesson:
    """The lesson that a file answers: as told, or by the notebook's own words, its plain loop, or its folder.

    Raises LessonError when none of these tells.
    """
    if word:
        return find_lesson(word)
    if path.suffix == ".ipynb" and path.is_file():
        plain = {
            source_of(it).strip()
            for it in load_notebook(path.read_bytes(), path.name)
            if grade_id(it) == "plain"
        }
        for lesson in lessons():
            if lesson.cell_source("plain").strip() in plain:
                return lesson
    for part in (path.stem, *reversed(path.resolve().parent.parts)):
        for lesson in lessons():
            if part == lesson.name:
                return lesson
    raise LessonError(
        f"I cannot tell which lesson {path.name} answers: add --lesson NAME (see `looplift list`)."
    )


def add(app: typer.Typer) -> None:
    @app.command()
    def check(
        path: str = typer.Argument(
            None,
            help="The exercise: a notebook or script; in your course folder also a lesson, or nothing for the one "
            "you are at. With --answer: the lesson.",
        ),
        lesson: str = typer.Option(
            None,
            "--lesson",
            "-l",
            help="The lesson, when the file does not tell.",
            autocompletion=lesson_words,
        ),
        answer: Path = typer.Option(None, "--answer", "-a", help="A file with just the answer cell's code."),
        secret_file: Path = typer.Option(None, help="A course's secret: seeds and sizes of the hidden runs."),
        as_json: bool = typer.Option(False, "--json", help="Print the verdict as JSON."),
    ) -> None:
        """Judge an exercise: your loop is really run, on two processes and on one.

        Examples: looplift check exercise.ipynb; looplift check 01; looplift check --answer loop.py first_loop

        Exit code 0: all passed, 1: something to mend, 2: cannot run.
        """
        with one_line_errors():
            file = answer or _file_meant(path or lesson)
            if file.is_dir():
                raise stop(f"{file} is a folder: name the notebook or script in it.")
            if not file.is_file():
                raise stop(f"there is no file {file}.")
            if not answer:
                which = lesson_of(file, lesson)
            else:
                which = find_lesson(path) if path else lesson_meant(open_desk(), lesson)
            verdict = _judge(file, which, bool(answer), secret_file, as_json)
            up = _note_down(file, which, verdict)
        if up and not as_json:
            print()
            tell(screen(), up)
        raise typer.Exit(0 if verdict.passed and not verdict.flag else 1)


def _file_meant(word: str | None) -> Path:
    """The file named; in a student's course the exercise of the lesson named, or of the one they are at.

    Raises DeskError when nothing is named outside a course.
    """
    if word and (Path(word).is_file() or Path(word).suffix in (".ipynb", ".py")):
        return Path(word)
    desk = find_desk() if word else open_desk()
    return Path(word or "") if desk is None else desk.work(lesson_meant(desk, word))


def _note_down(file: Path, lesson: Lesson, verdict: Verdict) -> str:
    """In a student's course: keep the outcome, so that `looplift` alone says what is next; what to say about it."""
    desk = find_desk(file.resolve().parent)
    if desk is None or desk.lesson_at(file) != lesson:
        return ""
    try:
        note = desk.record(lesson, verdict)
        up = next_up(standings(desk))
    except (OSError, LessonError) as error:
        return f"This could not be noted down: {error}"
    if not note.passed or not verdict.passed:
        return ""
    return f"Done. Next: {about(up)} (looplift next)." if up else "Done, and with it every lesson."


def _judge(file: Path, lesson: Lesson, only_answer: bool, secret_file: Path | None, as_json: bool) -> Verdict:
    """Judge and show."""
    console = screen(stderr=True)
    with console.status("importing torch and accelerate") as status:
        with uncollected():
            from looplift.hidden.plan import sizes_from
            from looplift.judge import Case, judge_apart, warm
            from looplift.judge.fork import require_fork
            from looplift.verdict.text import show

            require_fork()  # said before the seconds of importing, not after
            graded = warm(lesson)

        def running(what: str) -> None:
            status.update(f"running {what}")

        sizes = None
        if secret_file:
            secret = secret_file.read_text(encoding="utf-8").strip()
            sizes = sizes_from(secret, lesson.name, graded.task.epochs)
        read = read_answer if only_answer else read_submission
        verdict = judge_apart(Case(lesson, lambda: read(file, lesson), file.name, sizes), running)
    if as_json:
        sys.stdout.write(verdict.to_json() + "\n")
    else:
        show(verdict, screen())
    return verdict
