"""The doctor says one line for each thing, and what to do about what is wrong; on this machine and on made-up ones."""

from __future__ import annotations

import json
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from looplift.commands import app
from looplift.doctor import Facts, Launched, Line, Package, Port, lines, look, mended, report
from looplift.doctor.launch import launch
from looplift.doctor.look import packages, starts, why_not_writable
from looplift.doctor.port import look_at_port

GIB = 2**30
WELL = Facts(
    looplift="0.1.0", system="Linux-6", python=(3, 12, 1), program="/env/bin/python", cores=4, memory=8 * GIB,
    fork=True, port=Port(29500, True), packages=(Package("accelerate", "1.15.0", ">=1.1"),), torch="2.14.1",
    kernel="python", jupyter="/env/bin/jupyter", sandbox="bubblewrap", folder="/home/anna/course", scratch_free=GIB,
    launched=Launched(2, ((0, 2), (1, 2)), "cpu"),
)  # fmt: skip

# what is changed on a machine that is well -> the word, the name and the text of the line that says so
ILL = [
    ({"python": (3, 9, 2)}, "mend python: make a virtual environment with Python 3.10 or newer"),
    ({"torch": "", "torch_trouble": "OSError: libcudart.so"}, "mend torch: cannot be imported (OSError: libcudart.so)"),
    ({"cores": 1}, "note cores: 1; two processes share it"),
    ({"memory": 2 * GIB}, "mend memory: 2.0 GiB: give this machine or container at least 3 GiB"),
    ({"memory": 0}, "note memory: how much there is cannot be seen"),
    ({"fork": False}, "mend fork: use Linux, macOS, or WSL on Windows"),
    ({"port": Port(29500, False, "process 7 (python)")}, "mend port: 29500 is taken by process 7 (python): end that"),
    ({"kernel": ""}, "mend kernel: there is no notebook kernel python3: python -m ipykernel install"),
    ({"kernel": "/usr/bin/python3", "kernel_is_ours": False}, "mend kernel: python3 starts /usr/bin/python3, not this"),
    ({"jupyter": ""}, "note jupyter: your shell finds none"),
    ({"jupyter_is_ours": False}, "mend jupyter: start it as /env/bin/python -m jupyter lab"),
    ({"packages": (Package("accelerate", "1.0.1", ">=1.1", False),)}, "mend accelerate: pip install 'accelerate>=1.1'"),
    ({"packages": (Package("nbgrader", "", ">=0.9.5", False),)}, "mend nbgrader: nbgrader>=0.9.5 is not installed"),
    ({"packages": ()}, "note packages: pip install -e ."),
    ({"environment": {"RANK": "0", "WORLD_SIZE": "2"}}, "mend environment: unset RANK WORLD_SIZE"),
    ({"environment": {"OMP_NUM_THREADS": "8"}}, "ok cpu flag: ACCELERATE_USE_CPU=unset, OMP_NUM_THREADS=8; an ex"),
    ({"cuda": "13.0"}, "note gpu: none is seen; exercises train on the CPU"),
    ({"gpus": 1}, "note gpu: one is not enough for two processes"),
    ({"gpus": 2}, "note gpu: exercises use two of them; checks always run on the CPU"),
    ({"hosted": "Colab"}, "note Colab: notebook_launcher calls the function once"),
    ({"hosted": "Kaggle"}, "note Kaggle: run the first cell each time"),
    ({"sandbox": ""}, "note sandbox: judge strangers' code in a container"),
    ({"folder_trouble": "Read-only file system"}, "mend folder: cannot write in /home/anna/course (Read-only file"),
    ({"scratch_free": 5}, "mend scratch: set TMPDIR to a folder with room"),
    ({"scratch_trouble": "No space left"}, "mend scratch: cannot write in /tmp (No space left)"),
    ({"launched": None}, "note launch: looplift doctor --launch"),
    ({"launched": Launched(2, ((0, 1), (0, 1)), "cpu")}, "mend launch: rank 0 of 1, rank 0 of 1: the processes did"),
    ({"launched": Launched(2, (), "", "it hung")}, "mend launch: no rank answered; it hung"),
]  # fmt: skip


def test_on_a_machine_that_is_well_there_is_nothing_to_mend() -> None:
    said = lines(WELL)
    assert {line.word for line in said} == {"ok"}
    assert mended(said) and report(said).endswith("\nNothing to mend.")
    assert "ok    launch        2 processes on cpu: rank 0 of 2, rank 1 of 2" in report(said).splitlines()


@pytest.mark.parametrize(("changes", "expected"), ILL, ids=[words[:24] for _, words in ILL])
def test_one_line_says_what_is_wrong_and_what_to_do(changes: dict, expected: str) -> None:
    start, part = expected.split(": ", 1)
    word, about = start.split(" ", 1)
    said = lines(replace(WELL, **changes))
    (line,) = [it for it in said if it.about == about]
    assert (line.word, part in line.said) == (word, True), line.said
    assert mended(said) == (word != "mend")
    assert line.do or word != "mend"


def test_each_line_is_one_line_and_words_tell_without_colours() -> None:
    ill = Facts("0.1.0", "X", (3, 9, 0), "p", 1, 1, False, Port(29500, False), (), folder_trouble="no")
    text = report(lines(ill))
    assert len(text.splitlines()) == len(lines(ill)) + 1
    assert {it.split()[0] for it in text.splitlines()[:-1]} == {"ok", "mend", "note"}
    assert text.splitlines()[-1] == "8 things to mend." and text.isascii()


def test_a_narrow_terminal_gets_whole_words() -> None:
    wide, narrow = report(lines(WELL)), report(lines(WELL), 40)
    assert max(map(len, narrow.splitlines())) <= 40
    assert wide.split() == narrow.split()


def test_a_port_that_is_taken_is_seen_with_its_holder_and_one_that_is_left_is_free() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        port = look_at_port(number)
        assert not port.free
        if Path("/proc/net/tcp").exists():
            assert port.holder.startswith("process ")
    assert look_at_port(number) == Port(number, True)


def test_this_machine_is_seen_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setenv("WORLD_SIZE", "2")
    facts = look(tmp_path)
    assert facts.python == sys.version_info[:3] and facts.program == sys.executable
    assert facts.torch == torch.__version__ and facts.torch_trouble == ""
    assert facts.cores >= 1 and facts.memory > 2**28 and facts.scratch_free > 0
    assert facts.environment["WORLD_SIZE"] == "2" and facts.folder_trouble == ""
    assert not torch.cuda.is_initialized()
    json.dumps(facts.as_data())


def test_the_ranges_are_those_that_pip_recorded() -> None:
    found = {it.name: it for it in packages()}
    assert all(it.version and it.fits for it in found.values())
    assert found["accelerate"].wanted == ">=1.1" and found["nbgrader"].wanted == ">=0.9.5"
    assert "ruff" not in found  # only an extra asks for it
    assert packages("looplift-that-is-not-installed") == ()


def test_a_kernel_is_ours_when_jupyter_fills_in_its_own_python_or_it_lies_beside() -> None:
    assert starts("python", "/env/bin/python3") and starts("/env/bin/python", "/env/bin/python3")
    assert not starts("/usr/bin/python3", "/env/bin/python3")


def test_a_folder_that_is_not_there_cannot_be_written_to(tmp_path: Path) -> None:
    assert why_not_writable(tmp_path) == ""
    assert why_not_writable(tmp_path / "none") == "No such file or directory"


def test_a_real_launch_makes_two_ranks_that_find_each_other() -> None:
    done = launch()
    assert (done.trouble, sorted(done.ranks)) == ("", [(0, 2), (1, 2)])


def test_a_launch_that_fails_or_hangs_says_so(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no module named torch\nexit 3\n")
    broken.chmod(0o755)
    assert launch(str(broken)) == Launched(2, (), "", "it ended with 3: no module named torch")
    broken.write_text("#!/bin/sh\nsleep 600\n")
    assert launch(str(broken), patience=0.2).trouble.startswith("it hung for 0 seconds")


def test_the_command_prints_the_lines_and_its_exit_code_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        monkeypatch.setattr(sys.modules["looplift.doctor.look"], "PORT", number)
        done = CliRunner().invoke(app, ["doctor", "--json"])
    said = json.loads(done.stdout)
    by_name = {it["about"]: Line(**it) for it in said["lines"]}
    assert done.exit_code == 1 and done.stderr == ""
    assert by_name["port"].word == "mend" and "use_port" in by_name["port"].do
    assert by_name["port"].text.startswith(f"{number} is taken")
    assert by_name["folder"].text == f"{tmp_path} can be written to"
    assert said["facts"]["launched"] is None
