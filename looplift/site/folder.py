"""The folder that a site is written to: ours to empty when we wrote it, otherwise left alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from looplift.fault import KitError

MARK = ".looplift-site"  # lists the files of the site, one a line


def write_files(out: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files of a site, given by their path in it, and remove those of an earlier one that are gone.

    Raises KitError when the folder holds something else, OSError when it cannot be written.
    """
    before = _before(out)
    out.mkdir(parents=True, exist_ok=True)
    # Listed first: a site whose writing was interrupted is still known as ours.
    (out / MARK).write_text("".join(f"{name}\n" for name in sorted({*before, *files})), encoding="utf-8")
    for name, content in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    for name in sorted(set(before) - set(files)):
        _remove(out, name)
    (out / MARK).write_text("".join(f"{name}\n" for name in sorted(files)), encoding="utf-8")


def _before(out: Path) -> list[str]:
    """The files of the site that is there."""
    if out.is_file():
        raise KitError(f"{out} is a file: name a folder for the site.")
    if (out / MARK).is_file():
        return (out / MARK).read_text(encoding="utf-8").split("\n")[:-1]
    if out.is_dir() and any(out.iterdir()):
        raise KitError(
            f"{out} holds files that are not a site made by looplift: name a new or an empty folder."
        )
    return []


def _remove(out: Path, name: str) -> None:
    """Remove a file of the site, and its folder when that was the last in it. Never anything outside."""
    path = (out / name).resolve()
    if out.resolve() not in path.parents or not path.is_file():
        return
    path.unlink()
    if path.parent != out.resolve() and not any(path.parent.iterdir()):
        path.parent.rmdir()
