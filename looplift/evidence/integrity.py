"""Whether the recorder is still the one that the kit put in place.

A submission runs in the same processes as the recorder, so nothing can keep a program from changing it. What can be
done: notice the ways there are, tell a person, and judge by what is hard to make up. This room notices

- patched attributes of Accelerate and PyTorch, whether the recorder had replaced them or not;
- changed functions of the recorder: another code object, other defaults, another closure, another function by its name;
- functions of Python that the recorder relies on, and built-in ones, replaced;
- a trace or profile function that was not there before;
- calls of `Recorder.note` by code that is not the recorder's own (`own_code`);
- and, from outside, lines without the right seal, missing lines, weights that are not those on record, a rank that was
  no process (`journal`, `run`, `watch`).

**What remains.** A program that walks the heap can find the recorder, its key and this room, call the spies' own
functions with made-up arguments, or change the objects that they look at; done with care, that leaves no trace. It must
then make up, for data that it sees only in that run, the gradient of every step and the weights at the end: they are
compared with the grader's own plain loop, run in another room over the same rows (`checks.training`). The cheapest way
to have them is to do the training, on one process at least. What can be won so are the points for *how* it was done.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import importlib
import json
import os
import sys
import time
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

_ROOM = "looplift.evidence"
_TRACED = "the trace function of Python"
RECORDER = (
    "looplift",
    "builtins.",
    "json.",
    "os.",
    "time.",
    "hashlib.",
    _TRACED,
)  # begins of names of its own parts
_LIBRARIES = ("torch", "accelerate", "transformers", "datasets", "torchvision")
_OWNERS = (  # where a patch would change what is recorded, or what training does
    ("accelerate", "Accelerator"), ("accelerate.optimizer", "AcceleratedOptimizer"),
    ("accelerate.scheduler", "AcceleratedScheduler"), ("accelerate.data_loader", "DataLoaderShard"),
    ("accelerate.data_loader", "DataLoaderDispatcher"), ("accelerate.launchers", ""), ("accelerate.state", ""),
    ("torch", "Tensor"), ("torch.nn", "Module"), ("torch.nn.parallel", "DistributedDataParallel"),
    ("torch.optim", "Optimizer"), ("torch.optim", "SGD"), ("torch.optim", "Adam"), ("torch.optim", "AdamW"),
    ("torch.optim.lr_scheduler", "LRScheduler"), ("torch.optim.lr_scheduler", "OneCycleLR"),
    ("torch.utils.data", "DataLoader"), ("torch.autograd", ""), ("torch.distributed", ""),
    ("torch.nn.functional", ""),
)  # fmt: skip
_PYTHON: tuple[ModuleType, ...] = (builtins, json, os, time, hashlib)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _functions() -> Iterator[tuple[str, Any, str, FunctionType]]:
    """(what to call it, where it is kept, under what name, the function) for every function of the recorder."""
    for name in [it for it in sys.modules if it.startswith(_ROOM)]:
        module = sys.modules[name]
        if name == _ROOM or name.startswith(_ROOM + "."):
            for owner in (module, *(it for it in vars(module).values() if isinstance(it, type))):
                if getattr(owner, "__module__", name) != name:
                    continue
                for key, it in vars(owner).items():
                    it = getattr(it, "fget", None) or getattr(it, "func", None) or it
                    if isinstance(it, FunctionType) and it.__module__ == name:
                        yield f"{name}.{key}", owner, key, it


@functools.lru_cache(maxsize=1)
def own_code() -> frozenset[int]:
    """The identities of all code objects of the recorder, those of functions inside functions included."""
    return frozenset(id(it) for *_, function in _functions() for it in _codes(function.__code__))


def _parts(function: FunctionType) -> tuple[Any, ...]:
    cells = tuple(id(cell.cell_contents) for cell in function.__closure__ or () if _filled(cell))
    return (function.__code__, function.__defaults__, function.__kwdefaults__, cells)


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


class Integrity:
    """How things were when the recorder had been put in place, to be compared later, in this process or a fork."""

    def __init__(self, patched: list[tuple[Any, str, Any]]) -> None:
        """patched: (owner, name, what the kit put there)."""
        self._patched = list(patched)
        self._own = [(title, owner, key, it, _parts(it)) for title, owner, key, it in _functions()]
        self._own += [(f"{_title(owner)}.{name}", None, name, it, _parts(it)) for owner, name, it in patched]
        self._library = [(owner, dict(vars(owner))) for owner in _owners()]
        self._python = [
            (it, {name: value for name, value in vars(it).items() if callable(value)}) for it in _PYTHON
        ]
        self._modules = {name: it for name, it in sys.modules.items() if name.split(".")[0] == "looplift"}
        self._hooks = (sys.gettrace(), sys.getprofile())

    def broken(self) -> list[str]:
        """Names of what is no longer as it was, nothing when all is well."""
        found = [
            f"{_title(owner)}.{name}" for owner, name, it in self._patched if vars(owner).get(name) is not it
        ]
        for title, owner, key, function, parts in self._own:
            kept = vars(owner).get(key) if owner is not None else function
            kept = getattr(kept, "fget", None) or getattr(kept, "func", None) or kept
            if kept is not function or _parts(function) != parts:
                found.append(title)
        for owner, before in self._library:
            now = vars(owner)
            found += [
                f"{_title(owner)}.{name}"
                for name, it in before.items()
                if now.get(name) is not it and callable(it) and not self._from_a_library(now.get(name))
            ]
        for module, functions in self._python:
            now = vars(module)
            found += [
                f"{module.__name__}.{name}" for name, it in functions.items() if now.get(name) is not it
            ]
        found += [name for name, it in self._modules.items() if sys.modules.get(name) is not it]
        if (sys.gettrace(), sys.getprofile()) != self._hooks:
            found.append(_TRACED)
        return list(dict.fromkeys(found))[:20]

    def _from_a_library(self, it: Any) -> bool:
        """Whether a library replaced something of its own, as PyTorch does with an optimizer's step."""
        function = getattr(it, "__func__", it)
        code = getattr(function, "__code__", None)
        if code is None:
            return it is not None and str(getattr(it, "__module__", "")).split(".")[0] in _LIBRARIES
        return any(f"{os.sep}{name}{os.sep}" in code.co_filename for name in _LIBRARIES)


def _owners() -> Iterator[Any]:
    for module_name, name in _OWNERS:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        owner = getattr(module, name, None) if name else module
        if owner is not None:
            yield owner


def _title(owner: Any) -> str:
    return str(getattr(owner, "__name__", owner))
