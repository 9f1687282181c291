"""What must be the same here and on every worker, for a verdict to be the one that would be made here."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

import looplift
from looplift.lesson import data_folder, lessons

FILES = "looplift's files"
_PACKAGES = ("torch", "accelerate", "transformers", "datasets", "distributed")


def versions() -> dict[str, str]:
    """{what: version} of this process's Python and packages, and a digest of the kit's and the lessons' files.

    Of a package the local label is left out: a worker may have torch for CUDA where it is for the CPU here.
    """
    found = {"looplift": looplift.__version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name).split("+")[0]
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found | {FILES: _digest()}


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What is another version there, by name, such as `torch 2.5.0 (here 2.4.1)`; "" when nothing is."""
    named = [
        f"{name} {there.get(name, 'unknown')} (here {here[name]})"
        for name in here
        if there.get(name) != here[name] and name != FILES
    ]
    if not named and there.get(FILES) != here[FILES]:
        return f"other files in its looplift {here['looplift']}: one of the two was changed after it was released"
    return ", ".join(named)


def _digest() -> str:
    """Of every file that a verdict depends on. The same in a clone and in a wheel, where lessons lie elsewhere."""
    digest = hashlib.sha256()
    for name, path in _files():
        content = path.read_bytes()
        digest.update(f"{name}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def _files() -> Iterator[tuple[str, Path]]:
    package = Path(looplift.__file__).resolve().parent
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if not name.startswith("shelf/"):
            yield name, path
    for lesson in lessons():
        for path in (lesson.task, lesson.exercise, lesson.graded):
            if path.is_file():
                yield f"{lesson.name}/{path.name}", path
    data = data_folder()
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data).as_posix()
        hidden = any(part.startswith((".", "__")) for part in name.split("/"))
        if path.is_file() and path.suffix != ".py" and not hidden:
            yield f"data/{name}", path
