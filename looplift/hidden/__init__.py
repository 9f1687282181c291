"""Hidden tasks: the data and models that the grader puts in the place of the exercise's own."""

from __future__ import annotations

from typing import Any

__all__ = ["HiddenTask", "images", "pets", "texts"]


def __getattr__(name: str) -> Any:
    """Load what needs torch only when it is asked for: the sizes of a plan do not."""
    if name not in __all__:
        raise AttributeError(f"module 'looplift.hidden' has no attribute {name!r}")
    from looplift.hidden.images import images
    from looplift.hidden.pets import pets
    from looplift.hidden.task import HiddenTask
    from looplift.hidden.texts import texts

    # in the place of the modules of the same names, which importing them has just put here
    globals().update(HiddenTask=HiddenTask, images=images, pets=pets, texts=texts)
    return globals()[name]
