"""The wheel: what students install holds lessons, graded tests and data, no solution, and works in any folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from answered import solution, write_answered

import looplift
from looplift.lesson import Lesson, find_lesson, lessons

CLONE = Path(__file__).parents[2]
PARTS = ("looplift", "lessons", "solutions", "tests", "data")
FILES = ("pyproject.toml", "README.md", "LICENSE", ".gitignore")
SHELF = "looplift/shelf"
EXERCISE = "exercise.ipynb"
LITTER = re.compile(r"__pycache__|\.ipynb_checkpoints|\.pyc$|\.DS_Store$")


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone that somebody has worked in: Jupyter and Python left their files in it."""
    clone = tmp_path_factory.mktemp("clone")
    for part in PARTS:
        shutil.copytree(CLONE / part, clone / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in FILES:
        shutil.copy(CLONE / file, clone / file)
    lesson = find_lesson("01")
    for folder in ("lessons/01_first_loop", "tests/graded", "data", "looplift/judge"):
        for name in (".ipynb_checkpoints", "__pycache__"):
            (clone / folder / name).mkdir(exist_ok=True)
        write_answered(lesson, solution(lesson), clone / folder / ".ipynb_checkpoints" / EXERCISE)
        (clone / folder / "__pycache__" / "task.cpython-311.pyc").write_bytes(b"\0")
    return clone


@pytest.fixture(scope="session")
def wheel(clone: Path) -> Path:
    """The wheel that students install."""
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(clone / "dist")],
        cwd=clone, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (made,) = (clone / "dist").iterdir()
    return made


@pytest.fixture(scope="session")
def members(wheel: Path) -> dict[str, bytes]:
    """Every file of the wheel, by its path."""
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel unpacked into a folder, as pip does it."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder


def squashed(text: str) -> str:
    """Text without spaces and comments, so that it is found however it is indented."""
    return re.sub(r"\s+", "", re.sub(r"(?m)#.*$", "", text))


def text_of(name: str, content: bytes) -> str:
    """What a person can read in a file; of a notebook, its cells."""
    text = content.decode("utf-8", errors="ignore")
    if name.endswith(".ipynb"):
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text


# what is in it


def test_it_holds_all_of_every_lesson(members: dict[str, bytes]) -> None:
    every = lessons()
    assert len(every) >= 3
    for lesson in every:
        for path in (lesson.task, lesson.before, lesson.after, lesson.exercise):
            assert members[f"{SHELF}/lessons/{lesson.name}/{path.name}"] == path.read_bytes()
        assert members[f"{SHELF}/graded/test_{lesson.name}.py"] == lesson.graded.read_bytes()
    assert f"{SHELF}/graded/conftest.py" in members  # the pytest door


def test_it_holds_the_data_without_the_programs_that_made_it(members: dict[str, bytes]) -> None:
    data = {name.removeprefix(f"{SHELF}/data/") for name in members if name.startswith(f"{SHELF}/data/")}
    assert len([name for name in data if re.fullmatch(r"pets/[a-z_]+_\d+\.jpg", name)]) == 480
    assert {"backbone.safetensors", "vocabulary.txt", "pairs/train.csv", "pairs/validation.csv"} <= data
    assert {"reviews/train.jsonl", "reviews/validation.jsonl"} <= data
    assert not [name for name in data if name.endswith(".py")]
    assert sum(len(members[f"{SHELF}/data/{name}"]) for name in data) < 4_000_000


def test_it_holds_every_file_of_the_package(members: dict[str, bytes]) -> None:
    package = CLONE / "looplift"
    files = [it.relative_to(CLONE).as_posix() for it in package.rglob("*") if it.is_file()]
    files = [name for name in files if not LITTER.search(name)]
    assert [name for name in files if name not in members] == []
    assert {"looplift/diff/diff.css", "looplift/verdict/page.css"} <= set(members)
    assert len(files) >= 100


# what is not


def test_nothing_left_over_by_python_or_jupyter_is_in_it(members: dict[str, bytes]) -> None:
    assert len(members) > 500
    assert [name for name in members if LITTER.search(name)] == []


def test_it_is_the_package_and_nothing_else(members: dict[str, bytes]) -> None:
    about = f"looplift-{looplift.__version__}.dist-info"
    assert {name.split("/")[0] for name in members} == {"looplift", about}
    places = {name.split("/")[2] for name in members if name.startswith(f"{SHELF}/")}
    assert places == {"lessons", "graded", "data"}


def test_no_solution_is_in_it(members: dict[str, bytes]) -> None:
    texts = {name: squashed(text_of(name, content)) for name, content in members.items()}
    for lesson in lessons():
        body = squashed(solution(lesson).split('"""')[-1])
        assert len(body) > 300
        assert [name for name, text in texts.items() if body in text] == [], lesson.name
    shelf = {name: content for name, content in members.items() if name.startswith(f"{SHELF}/")}
    assert [name for name, content in shelf.items() if b"BEGIN SOLUTION" in content] == []


def test_no_answer_is_in_it(members: dict[str, bytes]) -> None:
    texts = {name: squashed(text_of(name, content)) for name, content in members.items()}
    answers = sorted((CLONE / "tests" / "answers").glob("*/*.py"))
    assert len(answers) >= 60
    names = {path.name for path in answers}
    assert [name for name in members if name.rsplit("/", 1)[-1] in names] == []
    right = [path for path in answers if path.name.startswith("right_")]
    assert len(right) >= 24
    for path in right:
        text = squashed(path.read_text(encoding="utf-8"))
        assert [name for name, it in texts.items() if text in it] == [], path.name


def test_every_exercise_in_it_is_unsolved(members: dict[str, bytes]) -> None:
    notebooks = [name for name in members if name.endswith(".ipynb")]
    assert len(notebooks) == len(lessons())
    for name in notebooks:
        cells = json.loads(members[name])["cells"]
        (answer,) = (it for it in cells if it["metadata"].get("nbgrader", {}).get("grade_id") == "answer")
        assert "raise NotImplementedError()" in "".join(answer["source"])


# what it says of itself


def test_it_says_its_version_and_what_it_needs(wheel: Path, members: dict[str, bytes]) -> None:
    version = looplift.__version__
    assert wheel.name == f"looplift-{version}-py3-none-any.whl"
    about = Parser().parsestr(members[f"looplift-{version}.dist-info/METADATA"].decode())
    assert (about["Name"], about["Version"], about["Requires-Python"]) == ("looplift", version, ">=3.10")
    assert about["License-Expression"] == "MIT"
    assert about["Description-Content-Type"] == "text/markdown"
    needs = {re.split(r"[^a-z]", it)[0] for it in about.get_all("Requires-Dist") if "extra ==" not in it}
    assert {"torch", "accelerate", "transformers", "datasets", "nbgrader", "typer", "rich"} <= needs
    points = members[f"looplift-{version}.dist-info/entry_points.txt"].decode()
    assert "looplift = looplift.commands:main" in points


def test_a_clone_can_be_installed_to_work_in(clone: Path) -> None:
    """What `pip install -e .` asks for: a wheel with nothing in it but the way to the clone."""
    build = "import hatchling.build; print(hatchling.build.build_editable('editable'))"
    done = subprocess.run([sys.executable, "-c", build], cwd=clone, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    with zipfile.ZipFile(clone / "editable" / done.stdout.strip()) as file:
        assert file.read("_looplift.pth").decode().strip() == str(clone)


# how it runs


def run(kit: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`looplift` of the kit that lies in a folder, run in another folder."""
    env = {**os.environ, "PYTHONPATH": str(kit), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "looplift", *words], cwd=folder, env=env, capture_output=True, text=True
    )


@pytest.fixture(params=["wheel", "clone"])
def kit(request: pytest.FixtureRequest, installed: Path, tmp_path: Path) -> Path:
    """Where looplift lies: unpacked from the wheel, or a clone. Both are really the one that is imported."""
    folder = installed if request.param == "wheel" else CLONE
    seen = subprocess.run(
        [sys.executable, "-c", "import looplift; print(looplift.__file__)"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(seen.stdout.strip()) == folder / "looplift" / "__init__.py"
    return folder


def test_it_lists_the_lessons(kit: Path, tmp_path: Path) -> None:
    done = run(kit, tmp_path, "list", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["lesson"] for row in rows] == [it.name for it in lessons()]
    assert all(Path(row["folder"]).is_relative_to(kit) for row in rows)


def test_it_checks_an_exercise_in_any_folder(kit: Path, tmp_path: Path) -> None:
    lesson: Lesson = find_lesson("first_loop")
    folder = tmp_path / "my home work"
    folder.mkdir()
    write_answered(lesson, solution(lesson), folder / EXERCISE)
    done = run(kit, folder, "check", EXERCISE, "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    verdict = json.loads(done.stdout)
    assert verdict["lesson"] == lesson.name
    assert [check["points"] for check in verdict["checks"]] == [1, 2, 2, 2, 3]
    assert sorted(path.name for path in folder.iterdir()) == [EXERCISE]


def test_a_course_can_be_made_of_it(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "course", "term", "--lesson", "01")
    assert done.returncode == 0, done.stderr
    source = json.loads(
        (tmp_path / "term" / "source" / "01_first_loop" / EXERCISE).read_text(encoding="utf-8")
    )
    text = "\n".join("".join(cell["source"]) for cell in source["cells"])
    assert "### BEGIN SOLUTION" in text and "raise NotImplementedError()" in text


def test_building_says_that_it_needs_a_clone(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "build", "--check")
    assert done.returncode == 2
    assert done.stderr.startswith("looplift: ") and "only in a clone" in done.stderr
    assert done.stderr.count("\n") == 1
