"""Reading the course's text files through `datasets`, quietly, offline and without leaving a cache behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from looplift.lesson import LessonError

if TYPE_CHECKING:
    from datasets import DatasetDict


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    from datasets.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    shown = not are_progress_bars_disabled()
    disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            enable_progress_bars()


def read_files(form: str, files: dict[str, list[str]]) -> DatasetDict:
    """Splits by name from these files, by `datasets.load_dataset`; form is its name for the format.

    The rows are kept in memory and the cache that `datasets` insists on is a temporary folder, so that a read-only
    home or two processes at once do no harm.
    """
    from datasets import load_dataset

    with _no_progress_bars(), TemporaryDirectory(prefix="looplift-rows-") as cache:
        return load_dataset(form, data_files=files, cache_dir=cache, keep_in_memory=True)


def read_splits(folder: Path, form: str, suffix: str) -> DatasetDict:
    """`train` and `validation` from the course's files of those names in `folder`.

    Raises LessonError when one is missing.
    """
    files = {split: [str(folder / f"{split}.{suffix}")] for split in ("train", "validation")}
    missing = [file for (file,) in files.values() if not Path(file).is_file()]
    if missing:
        raise LessonError(
            f"No rows in {missing[0]}: run `python data/write_texts.py` in a clone, or install again."
        )
    return read_files(form, files)
