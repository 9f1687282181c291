"""The file in which a loop leaves its weights, and what is in it when all processes have ended."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import torch

from looplift.evidence.recorder import Recorder

SHOWN = 3  # names of weights that are kept


class Checkpoint:
    """A folder of a run's own with the place of the file in it; no run begins with the file."""

    def __init__(self, recorder: Recorder, within: Path | None) -> None:
        """within: the folder to make it in, the system's own for temporary files when None."""
        self.path = Path(tempfile.mkdtemp(prefix="saved-", dir=within)).resolve() / "weights.pt"
        self._recorder = recorder
        os.chdir(self.path.parent)  # another file without a folder goes here, not among a student's own

    def look(self) -> None:
        """Note what is in the file, beside the final weights that the main process has left on record."""
        if not self.path.exists():
            self._recorder.note("checkpoint", there=False)
            return
        try:
            state = torch.load(self.path, map_location="cpu", weights_only=True)
        except Exception as error:  # noqa: BLE001 - whatever is in it, a student's loop has written it
            self._recorder.note("checkpoint", there=True, what=type(error).__name__, names=[], apart={})
            return
        named = isinstance(state, dict) and all(isinstance(it, torch.Tensor) for it in state.values())
        names = [str(it)[:80] for it in state] if isinstance(state, dict) else []
        self._recorder.note(
            "checkpoint",
            there=True,
            what="weights" if named and state else type(state).__name__,
            wrapped=bool(names) and all(it.startswith("module.") for it in names),
            names=names[:SHOWN],
            apart=self._apart(state) if named else {},
        )

    def _apart(self, state: dict[str, Any]) -> dict[int, float | None]:
        """For each model, how far its final weights are from those in the file; None when the names differ."""
        from safetensors.torch import load

        found: dict[int, float | None] = {}
        for index in range(len(list(self._recorder.folder.glob("weights-0-*.safetensors")))):
            final = load((self._recorder.folder / f"weights-0-{index}.safetensors").read_bytes())
            same = final.keys() == state.keys() and all(final[it].shape == state[it].shape for it in final)
            found[index] = max(_distance(final[it], state[it]) for it in final) if same else None
        return found


def _distance(one: torch.Tensor, other: torch.Tensor) -> float:
    return float((one.double() - other.double()).abs().max()) if one.numel() else 0.0
