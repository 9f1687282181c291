"""The state of a reading: where it stands, what it has seen, how much further it may go."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from looplift.inspection.scope import Scope
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event, Inside, Trace
from looplift.inspection.values import Value

STEPS = 250_000  # nodes that are looked at in all; a file with more calls than that is read in part
DEEPEST = 14  # functions inside functions


@dataclass
class Frame:
    """A function that is being gone through: what it returns and yields so far."""

    node: ast.AST
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    loader: Thing | None = None


@dataclass
class Machine:
    """Goes through a script once, from its first line, and notes what happens.

    root: the function of the script that was entered first. dropped: the call whose result nobody keeps.
    """

    trace: Trace = field(default_factory=Trace)
    module: Scope = field(default_factory=Scope)
    inside: tuple[Inside, ...] = ()
    frames: list[Frame] = field(default_factory=list)
    called: set[ast.AST] = field(default_factory=set)
    root: ast.AST | None = None
    dropped: ast.AST | None = None
    sure: bool = True
    scope: Scope = field(default_factory=Scope)
    steps: int = 0
    clock: int = 0

    @property
    def spent(self) -> bool:
        """True when the reading has gone on for long enough; the trace then says that it is partial."""
        self.steps += 1
        self.trace.partial = self.trace.partial or self.steps > STEPS
        return self.steps > STEPS

    @contextmanager
    def within(self, *insides: Inside) -> Iterator[None]:
        before = self.inside
        self.inside = (*before, *insides)
        try:
            yield
        finally:
            self.inside = before

    @contextmanager
    def unsure(self, really: bool = True) -> Iterator[None]:
        before = self.sure
        self.sure = before and not really
        try:
            yield
        finally:
            self.sure = before

    def note(self, kind: str, node: ast.AST, of: Value | None = None, **facts: Any) -> Event:
        """Note that something happens here."""
        self.clock += 1
        return self.trace.add(Event(kind, node, of, self.inside, self.root, self.clock, self.sure, facts))

    def touch(self, value: Value | None) -> None:
        """Note that this function handles an accelerator or something prepared."""
        if isinstance(value, Thing) and (value.wrap == "prepared" or value.kind == "accelerator"):
            self.trace.touched.add(self.root)

    @property
    def training(self) -> bool:
        """False under torch.no_grad."""
        return not any(it.kind == "no_grad" for it in self.inside)
