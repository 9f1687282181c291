"""The recorder: what the spies know in common. One lives in each process of a run."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from looplift.evidence.integrity import own_code
from looplift.evidence.journal import Journal
from looplift.submission import Submission

Drawn = tuple[int, str, tuple[int, ...]]  # pass over a loader, `train` or `eval`, row ids
MOST_DRAWN = 400  # tensors of batches that are remembered


class Recorder:
    """Knows the kit's objects by identity and the student's frames by compile name."""

    def __init__(
        self, folder: Path, submission: Submission, names: Iterable[str] | None = None, key: bytes = b""
    ) -> None:
        self.folder = folder
        self.journal = Journal(folder, key, Recorder.note.__code__)
        self.submission = submission
        self.names = frozenset(names) if names is not None else submission.names
        self.rank: int | None = None
        self.phase = "load"
        self.accelerator_devices: list[torch.device] = []
        self.models: list[torch.nn.Module] = []
        self.networks: tuple[str, ...] = ()  # what the models are called when a task has several
        self.tracked = False  # whether the task keeps a log, to which losses are compared
        self.datasets: dict[int, str] = {}  # id of the dataset -> role of its loader
        self.rows: dict[int, tuple[str, int]] = {}  # hash of a row -> (`train` or `eval`, row id)
        self.drawn: dict[
            int, tuple[torch.Tensor, Drawn]
        ] = {}  # id of a tensor of a batch -> the tensor, its batch
        self.at_work: Drawn | None = (
            None  # the batch that the journal's readers take the next backward to be about
        )
        self.forwarded: Drawn | None = (
            None  # the one that the last forward pass with gradients was about, if known
        )
        self.featured: Drawn | None = (
            None  # the batch that a frozen backbone has last seen, where there is one
        )
        self.precision: Any = (
            None  # a spy on mixed precision (spies.precision), where the exercise is about it
        )
        self.inside: dict[str, int] = {}  # how deep we are in a wrapper of Accelerate's, by name
        self._kept: list[Any] = []  # objects whose identity we rely on must not be freed

    def note(self, kind: str, **fields: Any) -> None:
        """Write an event down. Only the kit's own code asks for that; who else does is written down, too."""
        if id(sys._getframe(1).f_code) not in own_code():
            self.journal.note("forged", rank=self.rank, phase=self.phase)
        self.journal.note(kind, rank=self.rank, phase=self.phase, **fields)

    def where(self) -> list[Any] | None:
        """[compile name, line] of the innermost frame that the student wrote."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename in self.names:
                return [frame.f_code.co_filename, frame.f_lineno]
            frame = frame.f_back  # type: ignore[assignment]
        return None

    def direct(self, depth: int = 2) -> list[Any] | None:
        """[compile name, line] when the caller of the spied function itself is the student's."""
        frame = sys._getframe(depth)
        if frame.f_code.co_filename in self.names:
            return [frame.f_code.co_filename, frame.f_lineno]
        return None

    def keep(self, *objects: Any) -> None:
        self._kept.extend(objects)

    def draw(self, tensors: Iterable[torch.Tensor], batch: Drawn) -> None:
        """Remember a batch by its tensors. A reader takes it for the one in work until told otherwise."""
        self.at_work = batch
        for tensor in tensors:
            self.drawn.pop(id(tensor), None)  # the latest batch is the last one
            self.drawn[id(tensor)] = (
                tensor,
                batch,
            )  # holding the tensor keeps its id from being given to another
        while len(self.drawn) > MOST_DRAWN:
            del self.drawn[next(iter(self.drawn))]

    def deep(self, name: str) -> bool:
        return self.inside.get(name, 0) > 0

    def role(self, thing: Any) -> str:
        """What a thing is: `model`, `optimizer`, `scheduler`, `train_loader`, `eval_loader`, or its type.

        With several networks their names, such as `generator` and `generator's optimizer`.
        """
        from torch.optim.lr_scheduler import LRScheduler

        inner = getattr(thing, "module", thing) if isinstance(thing, torch.nn.Module) else thing
        for index, model in enumerate(self.models):
            if inner is model:
                return self.called(index)
        if isinstance(thing, torch.nn.Module):
            held = {id(it) for it in thing.modules()} if not self.networks else set()
            owned = (index for index, model in enumerate(self.models) if id(model) in held)
            return next((self.called(index) for index in owned), "another module")  # a part of a larger one
        if isinstance(thing, torch.optim.Optimizer) or type(thing).__name__ == "AcceleratedOptimizer":
            return self._optimizer(thing)
        if isinstance(thing, LRScheduler) or type(thing).__name__ in (
            "AcceleratedScheduler",
            "ReduceLROnPlateau",
        ):
            return "scheduler"
        dataset = getattr(thing, "dataset", None)
        if dataset is not None:
            while dataset is not None:
                if id(dataset) in self.datasets:
                    return self.datasets[id(dataset)]
                dataset = getattr(dataset, "dataset", None)
            return "another loader"
        return type(thing).__name__

    def called(self, index: int) -> str:
        """What a model is called, by its place among those that the kit handed out."""
        if not self.networks:
            return "model" if index == 0 else f"model {index + 1}"
        name, again = self.networks[index % len(self.networks)], index // len(self.networks)
        return name if again == 0 else f"{name} {again + 1}"

    def _optimizer(self, optimizer: Any) -> str:
        """The role of an optimizer; with several networks whose parameters it holds counts."""
        if not self.networks:
            return "optimizer"
        held = {id(it) for group in optimizer.param_groups for it in group["params"]}
        owners = (
            self.called(index)
            for index, model in enumerate(self.models)
            if any(id(it) in held for it in model.parameters())
        )
        return f"{next(owners, 'another')}'s optimizer"

    def enter_rank(self) -> None:
        self.rank = int(os.environ.get("RANK", "0"))
        self.phase = "loop"

    def save_weights(self) -> None:
        """The final weights of every model the kit handed out, whole or not at all, and their digests on record."""
        from safetensors.torch import save

        for index, model in enumerate(self.models):
            state = torch.nn.Module.state_dict(model)  # the class's own: an object may have another one
            data = save({name: value.detach().cpu().clone() for name, value in state.items()})
            path = self.folder / f"weights-{self.rank}-{index}.safetensors"
            path.with_suffix(".part").write_bytes(data)
            path.with_suffix(".part").replace(path)
            self.note("weights", model=index, digest=digest_of(data))


def digest_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
