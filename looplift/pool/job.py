"""A job: one submission to judge, with all that judging it takes and nothing else of the course."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, replace

from looplift.hidden.plan import Sizes, sizes_from

_AS_THE_TASK = (
    0  # epochs that are not told: only the graded tests know them, and importing those imports torch
)


@dataclass(frozen=True)
class Job:
    """What a worker is given, here or on another machine.

    key: names the verdict, see `classroom.verdicts.key`. lesson: its name. name: what the file is called, for the
    verdict. notebook: the bytes to judge. sizes: of the hidden runs, from `hidden_sizes`; the course's secret itself
    stays with the process that records grades.
    """

    key: str
    lesson: str
    name: str
    notebook: bytes
    sizes: Sizes

    def sizes_with(self, epochs: int) -> Sizes:
        """The sizes for a task of so many epochs, where the job does not tell how many."""
        return self.sizes if self.sizes.epochs != _AS_THE_TASK else replace(self.sizes, epochs=epochs)

    def to_bytes(self) -> bytes:
        """The job as JSON: to be kept in a file or sent to another machine."""
        raw = asdict(self) | {"notebook": base64.b64encode(self.notebook).decode("ascii")}
        return json.dumps(raw).encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes) -> Job:
        """Read what `to_bytes` wrote. Raises ValueError when it is something else."""
        try:
            raw = json.loads(data)
            raw["notebook"] = base64.b64decode(raw["notebook"], validate=True)
            return cls(**raw | {"sizes": Sizes(**raw["sizes"])})
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a job: {error}") from error


def hidden_sizes(secret: str, lesson: str) -> Sizes:
    """Sizes of a lesson's hidden runs from a course's secret, without importing its graded tests."""
    return sizes_from(secret, lesson, epochs=_AS_THE_TASK)
