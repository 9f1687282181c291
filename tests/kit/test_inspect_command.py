"""`looplift inspect`: what it prints, what it returns, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from inspected import SCRIPTS
from typer.testing import CliRunner, Result

from looplift.commands import app
from looplift.inspection import inspect_source, read_text
from looplift.inspection.text import render
from looplift.kinds import has_page

UNPREPARED = """\
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
loader = DataLoader(rows, batch_size=16)
model, optimizer = accelerator.prepare(model, optimizer)
for batch in loader:
    accelerator.backward(model(batch).loss)
    optimizer.step()
    optimizer.zero_grad()
    print("step")
"""


def looplift(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(it) for it in arguments], env={"COLUMNS": "90", "NO_COLOR": "1"})


def test_a_finding_reads_line_source_sentence_kind_and_what_to_do() -> None:
    assert render(inspect_source(read_text("train.py", UNPREPARED)), width=80) == (
        "train.py uses Accelerate: 1 thing wrong in its use.\n"
        "\n"
        "  line 7  for batch in loader:\n"
        "    loader was not prepared: every process reads all of its rows\n"
        "    [unprepared-loader]\n"
        "    next  pass it to accelerator.prepare, and loop over what comes back\n"
        "\n"
        "The text cannot tell:\n"
        "  - whether the processes really share the rows out and end with the same\n"
        "    weights: run it on two, as `looplift check` does with an exercise\n"
        "  - whether every process is meant to print: accelerator.print prints once (line\n"
        "    11) [printed-by-every-rank]\n"
        "\n"
        "More about a kind: looplift explain KIND, the word in [brackets]."
    )


@pytest.mark.parametrize("width", [30, 60, 100])
def test_no_line_of_ours_is_wider_than_asked_for(width: int) -> None:
    text = render(inspect_source(read_text("train.py", UNPREPARED)), width=width)
    assert max(len(line) for line in text.splitlines()) <= max(width, 34)


def test_a_line_in_another_alphabet_can_be_printed_in_ascii() -> None:
    reading = inspect_source(
        read_text("train.py", UNPREPARED.replace("for batch in loader:", "for batch in loader:  # 한"))
    )
    assert render(reading, ascii_only=True).isascii()
    assert "# 한" in render(reading)


def test_a_line_with_two_findings_is_shown_once() -> None:
    text = "accelerator = Accelerator()\nmodel = accelerator.prepare(torch.nn.Linear(4, 1))\n"
    text += (
        "for batch in accelerator.prepare(DataLoader(rows)):\n    accelerator.backward(model(batch).mean())\n"
    )
    text += "torch.save(model.state_dict(), 'model.pt')\n"
    shown = render(inspect_source(read_text("save.py", text)))
    assert "2 things wrong in its use" in shown
    assert shown.count("torch.save(model.state_dict(), 'model.pt')") == 1
    assert "[module-keys]" in shown and "[saved-on-the-wrong-ranks]" in shown


def test_every_kind_that_is_found_has_a_page() -> None:
    every = [
        it
        for path in SCRIPTS.glob("*.py")
        for it in inspect_source(read_text(path.name, path.read_text())).found
    ]
    assert len(every) >= 40
    assert all(has_page(it.kind) for it in every)


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [("right_two_networks.py", 0, "nothing wrong in its use that the text shows"),
     ("wrong_launch.py", 1, "things wrong in its use"), ("plain_class.py", 1, "is a plain PyTorch loop: ")],
)  # fmt: skip
def test_the_exit_code_says_whether_there_is_something_to_change(name: str, code: int, says: str) -> None:
    shown = looplift("inspect", SCRIPTS / name)
    assert shown.exit_code == code
    assert says in shown.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [("import json\n", "trains nothing that I can see"), ("", "trains nothing that I can see"),
     ("from transformers import Trainer\nTrainer(model=m).train()\n", "leaves the loop to a Trainer")],
)  # fmt: skip
def test_a_script_without_a_loop_of_its_own_needs_nothing(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "script.py"
    path.write_text(text)
    shown = looplift("inspect", path)
    assert shown.exit_code == 0
    assert says in shown.stdout


def test_json_holds_the_same(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(UNPREPARED)
    shown = looplift("inspect", path, "--json")
    read = json.loads(shown.stdout)
    assert shown.exit_code == 1
    assert (read["uses"], read["format"]) == ("accelerate", 1)
    (found,) = read["found"]
    assert (found["kind"], found["level"], found["where"]["line"]) == ("unprepared-loader", "wrong", 7)
    assert [it["kind"] for it in read["unknown"]] == ["", "printed-by-every-rank"]


def test_a_notebook_is_read_cell_by_cell_and_its_magics_are_skipped(tmp_path: Path) -> None:
    first, *loop = UNPREPARED.partition("for batch")
    cells = ["%pip install accelerate", first, "".join(loop)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A loop"),
                                               *(nbformat.v4.new_code_cell(it) for it in cells)])  # fmt: skip
    path = tmp_path / "train.ipynb"
    nbformat.write(notebook, path)
    shown = looplift("inspect", path)
    assert shown.exit_code == 1
    assert "cell 3, line 1  for batch in loader:" in shown.stdout


BAD_NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "source": "x = 1"}, {"cell_type": "code", "source": "y =\n"}]}
)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [("bad.py", "def train(:\n    pass\n", "bad.py, line 1 is not valid Python"),
     ("bad.ipynb", BAD_NOTEBOOK, "bad.ipynb, cell 2, line 1 is not valid Python"),
     ("bad.ipynb", "{", "bad.ipynb is not a notebook"), ("bad.ipynb", "", "bad.ipynb is empty"),
     ("loop.txt", "x = 1", "neither a script (.py) nor a notebook (.ipynb)"), ("null.py", "x = '\0'", "null.py"),
     ("deep.py", "x = " + "(" * 400 + ")" * 400, "deep.py"),
     ("long.py", "x = " + " + ".join("y" * 5000), "long.py is nested too deeply")],
)  # fmt: skip
def test_what_cannot_be_read_is_said_in_one_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    shown = looplift("inspect", path)
    assert shown.exit_code == 2
    assert shown.stderr.startswith("looplift: ") and says in shown.stderr
    assert shown.stderr.count("\n") == 1


def test_a_file_that_is_not_there_or_not_text_is_said_in_one_line(tmp_path: Path) -> None:
    assert "there is no file" in looplift("inspect", tmp_path / "none.py").stderr
    (tmp_path / "latin.py").write_bytes("# Größe\n".encode("latin-1"))
    shown = looplift("inspect", tmp_path / "latin.py")
    assert shown.exit_code == 2 and "UTF-8" in shown.stderr


def test_a_script_is_read_and_not_run(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').write('x')\n{UNPREPARED}raise SystemExit(7)\n")
    assert looplift("inspect", path).exit_code == 1
    assert not (tmp_path / "ran").exists()


def test_a_script_that_is_too_long_is_read_in_part_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("looplift.inspection.machine.STEPS", 20)
    reading = inspect_source(read_text("train.py", UNPREPARED))
    assert "only a part of it was followed" in reading.unknown[0].question


@pytest.mark.parametrize(
    "text",
    ["def f():\n    return f()\nf()\n", "f = lambda: f()\nf()\n", "x = [[]]\nx[0].append(x)\nprint(x)\n",
     "class A:\n    def __getattr__(self, n):\n        return getattr(self, n)\nA().x.y()\n",
     "while True:\n    pass\n", "for f in [print, len]:\n    f(f)\n", "a, *b = c = d = yield_ = zip()\n",
     "match x:\n    case 1:\n        pass\n", "async def f():\n    async with a as b:\n        await b\n",
     "def g():\n    x = yield\n    yield from g()\nfor i in g():\n    print(i)\n", "(lambda *a, **k: a)(*b, **c)\n",
     "class A(A):\n    pass\nA()\n", "try:\n    pass\nexcept* E as e:\n    print(e)\n", "del x, y.z\nglobal q\n"],
)  # fmt: skip
def test_unusual_code_is_read_to_its_end(text: str) -> None:
    try:
        source = read_text(
            "odd.py",
            text
            + "accelerator = Accelerator()\nif accelerator.is_main_process:\n    accelerator.gather(1)\n",
        )
    except Exception as error:  # syntax of a newer Python
        pytest.skip(str(error))
    assert [it.kind for it in inspect_source(source).found] == ["collective-on-some-ranks"]
