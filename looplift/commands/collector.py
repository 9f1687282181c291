"""Importing much, and leaving, without Python's collector of garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """What is imported inside stays to the end, so don't look through it for garbage, now or later.

    Measured with torch, torch._dynamo and DistilBERT, 660 000 objects: the imports take a sixth less, and the end of
    the process, where Python looks through everything once more, takes 2 s less.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
