"""Batches, by the ids of their rows.

A row is known by its content, so it is recognised whoever drew it: the kit's loader, a prepared one, a dispatcher
that sent slices around, a loader of the student's own over the same data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from accelerate import data_loader as accelerated
from torch.utils.data import DataLoader

from looplift.evidence.recorder import Drawn, Recorder
from looplift.evidence.spies.patch import Patches


def row_hash(row: torch.Tensor) -> int:
    return hash(row.detach().cpu().contiguous().numpy().tobytes())


def row_hashes(rows: torch.Tensor) -> list[int]:
    """`row_hash` of each row; a row of the array costs a third of a row of the tensor."""
    if rows.dtype == torch.bfloat16:  # which numpy does not know
        rows = rows.view(torch.int16)
    return [hash(row.tobytes()) for row in rows.detach().cpu().contiguous().numpy()]


def tensors(batch: Any) -> Iterator[torch.Tensor]:
    """Every tensor in a batch that has rows."""
    if isinstance(batch, torch.Tensor):
        if batch.dim() > 0:
            yield batch
    elif isinstance(batch, dict) or hasattr(batch, "items"):
        for it in batch.values():
            yield from tensors(it)
    elif isinstance(batch, (list, tuple)):
        for it in batch:
            yield from tensors(it)


def remember_rows(recorder: Recorder, part: str, rows: list[torch.Tensor]) -> None:
    """Let the rows of `part` (`train` or `eval`) be recognised; ids are positions."""
    for index, row in enumerate(rows):
        recorder.rows[row_hash(row)] = (part, index)


def rows_of(recorder: Recorder, batch: Any) -> tuple[str, list[int]]:
    """Part and row ids of a batch; (`unknown`, []) when its rows are not the kit's."""
    for tensor in tensors(batch):
        found = [recorder.rows.get(it) for it in row_hashes(tensor)]
        known = [it for it in found if it is not None]
        if known:
            return known[0][0], [it[1] if it is not None else -1 for it in found]
    return "unknown", []


def batch_of(recorder: Recorder, given: Any) -> Drawn | None:
    """The batch that a model is called with: by its tensors, else by its rows, which may be a part of the batch's."""
    for tensor in tensors(given):
        if id(tensor) in recorder.drawn:
            return recorder.drawn[id(tensor)][1]
    part, ids = rows_of(recorder, given)
    if not ids or -1 in ids:
        return None
    batches = (batch for _, batch in reversed(recorder.drawn.values()))
    return next((it for it in batches if it[1] == part and set(ids) <= set(it[2])), None)


def watch(recorder: Recorder, patches: Patches) -> None:
    count = {"iterations": 0}

    def watched(loader: Any, original: Callable[..., Any], prepared: bool) -> Iterator[Any]:
        count["iterations"] += 1
        number = count["iterations"]
        role = recorder.role(loader)
        recorder.note("iteration", number=number, role=role, prepared=prepared, where=recorder.where())
        batches = original(loader)
        while True:
            recorder.inside["loader"] = recorder.inside.get("loader", 0) + 1
            try:
                batch = next(batches)
            except StopIteration:
                return
            finally:
                recorder.inside["loader"] -= 1
            part, ids = rows_of(recorder, batch)
            recorder.draw(tensors(batch), (number, part, tuple(ids)))
            recorder.note("batch", iteration=number, role=role, prepared=prepared, part=part, ids=ids)
            yield batch

    def make(prepared: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrapped(original: Callable[..., Any]) -> Callable[..., Any]:
            def iterate(self: Any) -> Iterator[Any]:
                if recorder.deep("loader"):  # a prepared loader that draws from the one inside it
                    return original(self)
                return watched(self, original, prepared)

            return iterate

        return wrapped

    patches.wrap(DataLoader, "__iter__", make(False))
    for name in ("DataLoaderShard", "DataLoaderDispatcher", "SkipDataLoader"):
        owner = getattr(accelerated, name, None)
        if owner is not None and "__iter__" in vars(owner):
            patches.wrap(owner, "__iter__", make(True))
