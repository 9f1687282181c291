"""Read the logs of TensorBoard in a folder: every number in them, by what it is called and who wrote it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVENTS = "events.out.tfevents.*"


@dataclass(frozen=True)
class Curve:
    """The numbers of one name in one log, in the order in which they were written.

    tag: what they are called, such as `loss`. log: the folder of the log, as seen from the one that was read.
    """

    tag: str
    log: str
    points: tuple[tuple[int, float], ...]

    @property
    def steps(self) -> list[int]:
        return [step for step, _ in self.points]

    @property
    def values(self) -> list[float]:
        return [value for _, value in self.points]


def read_curves(folder: str | Path) -> list[Curve]:
    """Every curve in a folder and the folders inside it, sorted by tag and log. No folder, no curve."""
    root = Path(folder)
    logs = sorted({path.parent for path in root.rglob(EVENTS)})
    found = [curve for log in logs for curve in _read(log, root)]
    return sorted(found, key=lambda it: (it.tag, it.log))


def _read(log: Path, root: Path) -> Iterator[Curve]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    # 0: keep all values. Nothing is purged, so that steps which begin again are seen as they were written.
    sizes = {"scalars": 0, "tensors": 0}
    events = EventAccumulator(str(log), size_guidance=sizes, purge_orphaned_data=False)
    events.Reload()
    name = log.relative_to(root).as_posix() if log != root else root.name
    tags: dict[str, Any] = events.Tags()
    for tag in tags["scalars"]:
        yield Curve(tag, name, tuple((it.step, it.value) for it in events.Scalars(tag)))
    for tag in tags["tensors"]:
        points = tuple(_numbers(events.Tensors(tag)))
        if points:
            yield Curve(tag, name, points)


def _numbers(events: Any) -> Iterator[tuple[int, float]]:
    """Scalars that were written in the new form, as tensors."""
    from tensorboard.util.tensor_util import make_ndarray

    for it in events:
        array = make_ndarray(it.tensor_proto)
        if array.dtype.kind in "fiu" and array.size == 1 and math.isfinite(float(array.reshape(()))):
            yield it.step, float(array.reshape(()))
