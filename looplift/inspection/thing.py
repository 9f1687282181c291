"""Objects with an identity: models, optimizers, loaders, schedulers, the accelerator, and what is not known yet."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from looplift.inspection.values import Class, Value


@dataclass(eq=False)
class Thing(Value):
    """An object with an identity: a model, an optimizer, a loader, the accelerator, or not known yet.

    base, wrap: what it wraps, and how: `prepared`, `ddp`, `around` (unwrapped again). given: where it comes from is
    not in the text. facts: what a kind remembers, such as the optimizer of a scheduler. Kind and facts are those of
    the innermost object, so that all its names share what is learned of it.
    """

    own_kind: str = ""
    node: ast.AST | None = None
    given: bool = False
    path: str = ""
    base: Thing | None = None
    wrap: str = ""
    cls: Class | None = None
    part_of: Thing | None = None
    name: str = ""
    attrs: dict[str, Value] = field(default_factory=dict)
    parts: dict[Any, Value] = field(default_factory=dict)
    own_facts: dict[str, Any] = field(default_factory=dict)

    @property
    def root(self) -> Thing:
        thing = self
        while thing.base is not None:
            thing = thing.base
        return thing

    @property
    def kind(self) -> str:
        return self.root.own_kind

    @kind.setter
    def kind(self, kind: str) -> None:
        self.root.own_kind = kind

    @property
    def facts(self) -> dict[str, Any]:
        return self.root.own_facts

    @property
    def whole(self) -> Thing:
        """The object that this is a part of, innermost."""
        thing = self.root
        while thing.part_of is not None:
            thing = thing.part_of.root
        return thing

    def wrapped(self, wrap: str, node: ast.AST | None = None) -> Thing:
        """This object in a wrapper, the same each time."""
        if wrap == self.wrap:
            return self
        key = f"{wrap} around {self.wrap}"
        found = self.facts.get(key)
        if found is None:
            found = Thing(node=node, base=self, wrap=wrap, cls=self.cls, attrs=self.attrs)
            self.facts[key] = found
        return found

    def part(self, key: Any) -> Value:
        """An item or attribute of an object of which nothing is known, the same each time."""
        is_item = not isinstance(key, str) or not key.startswith(".")
        if self.wrap == "prepared" and self.base is not None and is_item:
            inner = self.base.part(key)
            return inner.wrapped("prepared", self.node) if isinstance(inner, Thing) else inner
        if key not in self.parts:
            word = key if isinstance(key, str) else ""
            self.parts[key] = Thing(node=self.node, given=self.given, part_of=self, name=word, path=self.path)
        return self.parts[key]
