"""Other files in a submission's folder: which of them nbgrader must not copy.

nbgrader copies all that lies beside the notebook into autograded/ and on into feedback/, which students get, and it
follows links: a link to the gradebook or the secret would come back with the feedback, one to /dev/zero fills the disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

LARGEST = 50_000_000  # bytes of one file
MOST = 200  # files; a class of a hundred copies each of them twice


def not_copied(folder: Path) -> list[str]:
    """Names of files that are to be left where they are: links, special files, large ones.

    The folder's own name where there are more than MOST files: then all are, and in one step, as nbgrader looks
    through the folder once for each of its files.
    """
    odd = set()
    for count, (path, kind) in enumerate(_files(folder), 1):
        if count > MOST:
            return [folder.name]
        if not stat.S_ISREG(kind.st_mode) or kind.st_size > LARGEST:
            odd.add(os.path.basename(path))
    return sorted(odd)


def leading_out(folder: Path) -> list[str]:
    """Names of links to something that lies elsewhere: nobody makes those by mistake."""
    here = os.path.realpath(folder)
    found = []
    for count, (path, kind) in enumerate(_files(folder), 1):
        if count > MOST:
            break
        target = os.path.realpath(path)
        if stat.S_ISLNK(kind.st_mode) and os.path.exists(target) and not target.startswith(here + os.sep):
            found.append(os.path.basename(path))
    return sorted(set(found))


def _files(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Every file below a folder, links not followed; the nearest first."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        links = [
            name for name in folders if os.path.islink(os.path.join(place, name))
        ]  # walk does not enter them
        for name in sorted([*names, *links]):
            path = os.path.join(place, name)
            try:
                yield path, os.lstat(path)
            except OSError:
                continue
