"""Names and what they stand for, function by function."""

from __future__ import annotations

from dataclasses import dataclass, field

from looplift.inspection.values import Value


@dataclass(eq=False)
class Scope:
    """The names of a module, a function or a class. elsewhere: names declared global or nonlocal here."""

    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)
    is_class: bool = False

    def find(self, name: str) -> Value | None:
        """What a name stands for, looked up as Python does; None when nothing defined it."""
        if name in self.names and name not in self.elsewhere:
            return self.names[name]
        scope = self.parent
        while scope is not None:
            if name in scope.names and not scope.is_class:
                return scope.names[name]
            scope = scope.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        scope: Scope = self
        if name in self.elsewhere:
            holder = self.parent
            while holder is not None and name not in holder.names and holder.parent is not None:
                holder = holder.parent
            scope = holder or self
        scope.names[name] = value
