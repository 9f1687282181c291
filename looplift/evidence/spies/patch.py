"""Replace an attribute, and remember it, so that it can be told later whether somebody else replaced it again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class Patches:
    """Attributes that the kit replaced: in `made`, (owner, name, what it put there)."""

    def __init__(self) -> None:
        self.made: list[tuple[Any, str, Any]] = []

    def wrap(self, owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replace `owner.name` by `make(original)`. A missing attribute (another version) is left alone."""
        original = getattr(owner, name, None)
        if original is None:
            return
        ours = functools.wraps(original)(make(original))
        setattr(owner, name, ours)
        # a spy around a spy: the outer one counts
        self.made = [it for it in self.made if (it[0], it[1]) != (owner, name)]
        self.made.append((owner, name, ours))
