"""What holds for every command: help with an example, JSON, completion, one-line errors, any terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import typer
from nbclient import NotebookClient
from reported import screen as report_screen
from typer.testing import CliRunner, Result

from looplift.commands import app
from looplift.commands.cell import CELL
from looplift.commands.completion import lesson_words
from looplift.commands.console import never_fail
from looplift.desk import start
from looplift.diff import diff_lesson
from looplift.diff.terminal import render as render_diff
from looplift.lesson import find_lesson, lessons
from looplift.submission import without_magics
from looplift.verdict import CheckResult, Finding, Place, Remark, Verdict
from looplift.verdict.text import render as render_verdict

SNAPSHOTS = Path(__file__).parent / "snapshots"
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
JSON = (
    "list", "check", "grade", "report", "doctor", "status", "start", "next", "explain", "inspect",
    "build", "new-lesson",
)  # fmt: skip
VERDICT = Verdict(
    lesson="01_first_loop",
    submission="exercise.ipynb",
    checks=(
        CheckResult("one_accelerator", "one Accelerator, made inside training_loop", 1, 1, "pass"),
        CheckResult("prepared", "model, optimizer and loader go through prepare", 2, 0, "mend", Finding(
            id="unprepared-loader", saw="the train loader “loader” was not passed to prepare",
            so="each process reads all 37 rows of an epoch, not about 19",
            expected="the train loader among the arguments of accelerator.prepare",
            where=Place("exercise.ipynb", 15, 7, "    for batch in loader:  # 반복"),
            next="prepare the loader too, and loop over what comes back",
        )),
        CheckResult("one_training", "two processes train one model", 3, 0, "follows"),
    ),
    remarks=(Remark("bare-print", "both processes print this line", Place("exercise.ipynb", 21, 7, "print(loss)")),),
)  # fmt: skip


def looplift(*arguments: str, columns: int = 90) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": str(columns), "NO_COLOR": "1"})


def listed(columns: int) -> str:
    return "\n".join(line.rstrip() for line in looplift("list", columns=columns).stdout.splitlines())


def as_in_snapshot(name: str, text: str) -> None:
    """Compare with tests/kit/snapshots/NAME.txt. LOOPLIFT_RENEW=1 writes it anew, and lets the test fail."""
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("LOOPLIFT_RENEW") == "1":
        path.write_text(text + "\n", encoding="utf-8")
        pytest.fail(f"{path.name} was written: read it, and run again without LOOPLIFT_RENEW")
    assert path.read_text(encoding="utf-8") == text + "\n"


# screens


SCREENS: dict[str, Callable[[], str]] = {
    "check_100": lambda: render_verdict(VERDICT, 100),
    "check_40": lambda: render_verdict(VERDICT, 40),
    "check_ascii": lambda: render_verdict(VERDICT, 80, "ascii"),
    "diff_100": lambda: render_diff(diff_lesson(find_lesson("01")), 100),
    "diff_60": lambda: render_diff(diff_lesson(find_lesson("01")), 60),
    "diff_ascii": lambda: render_diff(diff_lesson(find_lesson("01")), 100, "ascii"),
    "list_90": lambda: listed(90),
    "list_40": lambda: listed(40),
    "report_90": lambda: report_screen(90),
    "report_60": lambda: report_screen(60),
    "report_ascii": lambda: report_screen(60, "ascii"),
}


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_as_it_was_last_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    as_in_snapshot(name, SCREENS[name]())


def test_every_snapshot_is_of_a_screen() -> None:
    assert sorted(path.stem for path in SNAPSHOTS.iterdir()) == sorted(SCREENS)


# help


def test_every_command_has_help_with_an_example() -> None:
    assert len(COMMANDS) >= 16
    for name in COMMANDS:
        done = looplift(name, "--help")
        assert done.exit_code == 0
        words = " ".join(done.stdout.split())
        assert f"looplift {name}" in words.split("Example", 1)[1], name


def test_help_fits_a_narrow_terminal() -> None:
    for name in COMMANDS:
        text = CliRunner().invoke(app, [name, "--help"], terminal_width=60).stdout
        assert max(map(len, text.splitlines())) <= 60, name


# JSON


def test_what_a_program_reads_can_be_had_as_json() -> None:
    for name in JSON:
        assert "--json" in looplift(name, "--help").stdout, name


def test_the_json_parses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(start(tmp_path / "course").desk.folder)
    assert [it["lesson"] for it in json.loads(looplift("list", "--json").stdout)] == [
        it.name for it in lessons()
    ]
    assert json.loads(looplift("status", "--json").stdout)["next"]["lesson"] == "01_first_loop"
    assert json.loads(looplift("next", "--json").stdout)["lesson"] == "01_first_loop"
    assert json.loads(looplift("start", "--json").stdout)["added"] == []


# completion


def completed(*words: str) -> list[str]:
    line = " ".join(("looplift", *words))
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'looplift'; from looplift.commands import main; main()"],
        capture_output=True, text=True,
        env=os.environ | {"_LOOPLIFT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_commands_and_lessons_are_completed() -> None:
    assert completed("doc") == ["doctor"]
    assert completed("diff", "02") == ["02_warmup_schedule"]
    assert lesson_words("hon") == ["honest_metrics"]
    assert lesson_words("") == [it.name for it in lessons()]
    assert lesson_words("none") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_printed(shell: str) -> None:
    source = f"source_{shell}"
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'looplift'; from looplift.commands import main; main()"],
        capture_output=True, text=True, env=os.environ | {"_LOOPLIFT_COMPLETE": source},
    )  # fmt: skip
    assert done.returncode == 0 and "_LOOPLIFT_COMPLETE" in done.stdout
    assert "--install-completion" in looplift("--help").stdout


# errors


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("check none.ipynb", "there is no file none.ipynb."),
        ("check folder.ipynb --lesson 01", "folder.ipynb is a folder: name the notebook or script in it."),
        ("check --answer folder.ipynb 01", "folder.ipynb is a folder: name the notebook or script in it."),
        ("check binary.ipynb", "binary.ipynb is not a notebook"),
        ("check --answer none.py 01", "there is no file none.py."),
        ("check task.py --lesson nine", "No lesson is called 'nine'. There are: 01_first_loop,"),
        ("check", "this is not a folder of your course"),
        ("diff nine", "No lesson is called 'nine'."),
        ("diff 01 --html folder.ipynb", "Is a directory: folder.ipynb"),
        ("diff 01 --html none/page.html", "No such file or directory: none/page.html"),
        ("hint 01", "this is not a folder of your course"),
        ("reset 01", "this is not a folder of your course"),
        ("solution 01", "this is not a folder of your course"),
        ("next", "this is not a folder of your course"),
        ("watch 01", "this is not a folder of your course"),
        ("start task.py", "task.py is a file: name a folder"),
        ("site task.py", "task.py is a file: name a folder"),
        ("course task.py", "task.py is a file; give a new or an empty folder"),
        ("grade none", "none is not a looplift course"),
        ("build nine", "No lesson is called 'nine'."),
    ],
)
def test_an_error_is_one_line_that_says_what_to_do(
    line: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "binary.ipynb").write_bytes(b"\xdc\x00\xff" * 40)
    (tmp_path / "task.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    done = looplift(*line.split())
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"looplift: {said}"), done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_may_not_be_read_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "exercise.ipynb"
    path.write_text("{}")

    def denied(self: Path) -> bytes:  # in place of a real one, as root may read every file
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", denied)
    done = looplift("check", str(path))
    assert done.exit_code == 2 and done.stderr == f"looplift: Permission denied: {path}\n"


# terminals


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp949"])
def test_no_command_fails_where_a_terminal_has_few_characters(encoding: str, tmp_path: Path) -> None:
    folder = start(tmp_path / "수업").desk.folder
    script = (
        "import sys\nfrom looplift.commands import main\n"
        "for words in (['list'], ['status'], ['diff', '01'], ['hint', '01'], ['cell']):\n"
        "    sys.argv = ['looplift', *words]\n"
        "    try:\n        main()\n    except SystemExit as ended:\n        assert not ended.code, words\n"
        "sys.stdout.write('– “quoted” … 반\\n')\n"
    )
    env = {
        **os.environ,
        "PYTHONIOENCODING": encoding,
        "LC_ALL": "C",
        "COLUMNS": "40",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, cwd=folder, env=env)
    assert done.returncode == 0, done.stderr.decode(encoding)
    text = done.stdout.decode(encoding)
    count = len(lessons())
    assert (
        f"0 of {count} lessons done, 0 of {10 * count} points" in text
        and "%pip install" in text
        and "\x1b" not in text
    )
    last = text.splitlines()[-1]
    assert last == {"ascii": '- "quoted" ... \\ubc18', "latin-1": '- "quoted" ... \\ubc18'}.get(
        encoding, last
    )


def test_a_stream_writes_plainly_what_it_has_no_character_for(tmp_path: Path) -> None:
    with (tmp_path / "said.txt").open("w", encoding="ascii") as stream:
        never_fail(stream)
        stream.write("“a” – b… │ 반")
    assert (tmp_path / "said.txt").read_bytes() == rb'"a" - b... | \ubc18'


# Colab and Kaggle


def test_the_first_cell_fetches_the_lessons_and_can_be_run_again(tmp_path: Path) -> None:
    """As far as a plain kernel goes: the install line is left out, as looplift is installed."""
    assert looplift("cell").stdout == CELL
    install = "%pip install --quiet looplift"
    assert CELL.count(install) == 1
    first = CELL.replace(install, "").replace("!looplift", f"!{sys.executable} -m looplift")
    after = (
        "import json, os, sys\nsys.path.insert(0, '01_first_loop')\nfrom looplift import check, show_diff\n"
    )
    after += "print(json.dumps(sorted(os.listdir('01_first_loop'))))"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(it) for it in (first, first, after)])
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    once, again, seen = ("".join(it.get("text", "") for it in cell.outputs) for cell in notebook.cells)
    assert f"{len(lessons())} lessons" in once and "nothing was changed" in again
    assert {"exercise.ipynb", "before.py", "after.py", "task.py"} <= set(json.loads(seen))
    given = json.loads((tmp_path / "01_first_loop" / "exercise.ipynb").read_text(encoding="utf-8"))
    assert given == find_lesson("01").notebook


def test_the_first_cell_is_nothing_to_a_check() -> None:
    source, taken = without_magics(CELL)
    assert len(taken) == 2
    scratch: dict[str, object] = {}
    exec(source, scratch)
    assert set(scratch) == {"__builtins__"}
