"""The commands as a student types them, in a course of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from looplift.commands import app
from looplift.desk import Desk, standings, start
from looplift.verdict import CheckResult, Verdict


def looplift(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "90", "NO_COLOR": "1"})


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = start(tmp_path / "looplift-course").desk
    monkeypatch.chdir(desk.folder)
    return desk


def possible(desk: Desk) -> str:
    """All points that there are, as they are written."""
    return f"{sum(it.possible for it in standings(desk)):g}"


def judged(monkeypatch: pytest.MonkeyPatch, points: float) -> list[tuple[Path, str]]:
    """Stands in for the judge; gives the list of what it was asked."""
    asked = []

    def judge(file, lesson, *_):
        asked.append((file, lesson.name))
        check = CheckResult("all", "all", 10, points, "pass" if points == 10 else "mend")
        return Verdict(lesson.name, file.name, (check,))

    monkeypatch.setattr("looplift.commands.check._judge", judge)
    return asked
