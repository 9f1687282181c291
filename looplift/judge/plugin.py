"""The pytest door: `pytest tests/graded --submission PATH` runs the graded tests on one submission."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from looplift.checks.points import Mend
from looplift.commands.check import lesson_of
from looplift.evidence import Evidence
from looplift.hidden.plan import sizes_from
from looplift.judge.fork import require_fork, warm
from looplift.judge.graded import load_graded
from looplift.judge.judge import PRACTICE, result_of, verdict_on
from looplift.lesson import Lesson, LessonError
from looplift.submission import SubmissionError, read_answer, read_submission
from looplift.verdict import CheckResult, Verdict
from looplift.verdict.text import render

_RESULTS = pytest.StashKey[list[CheckResult]]()
_EVIDENCE = pytest.StashKey[Evidence]()
_LESSON = pytest.StashKey[Lesson]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("looplift")
    group.addoption("--submission", metavar="PATH", help="the notebook or script to judge")
    group.addoption("--lesson", metavar="NAME", help="the lesson, when the file does not tell")
    group.addoption("--answer", action="store_true", help="the file holds just the answer cell")
    group.addoption("--verdict", metavar="FILE", help="write the verdict as JSON to this file")


def _lesson(config: pytest.Config) -> Lesson:
    path = config.getoption("submission")
    if not path:
        raise pytest.UsageError("say what to judge: pytest tests/graded --submission PATH")
    try:
        return lesson_of(Path(path), config.getoption("lesson"))
    except (LessonError, SubmissionError) as error:
        raise pytest.UsageError(str(error)) from None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the graded tests of the submission's own lesson."""
    lesson = _lesson(config)
    config.stash[_LESSON] = lesson
    config.stash[_RESULTS] = []
    kept = [it for it in items if it.path.resolve() == lesson.graded.resolve()]
    config.hook.pytest_deselected(items=[it for it in items if it not in kept])
    items[:] = kept


@pytest.fixture(scope="session")
def evidence(pytestconfig: pytest.Config) -> Iterator[Evidence]:
    """Evidence on the submission that --submission names; its runs are made when a test asks for them."""
    require_fork()
    lesson = pytestconfig.stash[_LESSON]
    path = Path(pytestconfig.getoption("submission"))
    warm(lesson)
    graded = load_graded(lesson)
    try:
        read = read_answer if pytestconfig.getoption("answer") else read_submission
        submission = read(path, lesson)
    except SubmissionError as error:
        pytest.exit(str(error), returncode=2)
    folder = Path(tempfile.mkdtemp(prefix="looplift-"))
    sizes = sizes_from(PRACTICE, lesson.name, graded.task.epochs)
    made = Evidence(lesson, submission, graded.task, sizes, folder)
    pytestconfig.stash[_EVIDENCE] = made
    yield made
    _write(pytestconfig)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    """Say a finding in its own sentences, without a traceback, and keep the result."""
    report = yield
    if call.when == "call" and _LESSON in item.config.stash:
        results = item.config.stash[_RESULTS]
        error = call.excinfo.value if call.excinfo else None
        if error is None or isinstance(error, Mend):
            graded = load_graded(item.config.stash[_LESSON])
            name = item.name.removeprefix("test_")
            test = next(it for it in graded.tests if it.name == name)
            earlier = [it.finding.id for it in results if it.finding]
            results.append(result_of(test, error, earlier))
        if isinstance(error, Mend):
            report.longrepr = str(error)
    return report


def _verdict(config: pytest.Config) -> Verdict:
    return verdict_on(config.stash[_EVIDENCE], config.stash[_RESULTS])


def _write(config: pytest.Config) -> None:
    if config.getoption("verdict"):
        _verdict(config).write(Path(config.getoption("verdict")))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The verdict as `looplift check` prints it."""
    if _EVIDENCE in config.stash:
        terminalreporter.section("verdict")
        terminalreporter.write_line(render(_verdict(config)))
