"""What a script would do, in the order of its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from looplift.inspection.thing import Thing
from looplift.inspection.values import Value


@dataclass(frozen=True, eq=False)
class Inside:
    """Something that a line stands in.

    kind: `ranks` (which: main, other, some), `if`, `loop`, `accumulate`, `no_grad`, `uneven`, `once` (one process
    after the other). local: the condition differs between the processes. of: the loader of a loop.
    """

    kind: str
    node: ast.AST
    which: str = ""
    local: bool = False
    modulo: bool = False
    of: Value | None = None


@dataclass(frozen=True, eq=False)
class Event:
    """One thing that happens: `backward`, `prepare`, `print`. of: to which object. root: the function of the script
    that was entered first, None at module level. sure: False in what only one of several values would do."""

    kind: str
    node: ast.AST
    of: Value | None
    inside: tuple[Inside, ...]
    root: ast.AST | None
    at: int
    sure: bool
    facts: dict[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.facts[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def thing(self) -> Thing:
        """The object that it happens to, where that is known to be one."""
        assert isinstance(self.of, Thing), self.kind
        return self.of

    def within(self, kind: str) -> Iterator[Inside]:
        """What of this kind the event stands in, the innermost first."""
        return (it for it in reversed(self.inside) if it.kind == kind)

    @property
    def loop(self) -> Inside | None:
        """The innermost loop."""
        return next(self.within("loop"), None)

    @property
    def ranks(self) -> Inside | None:
        """The branch that only some processes enter."""
        return next(self.within("ranks"), None)

    @property
    def loops(self) -> list[ast.AST]:
        """The nodes of all loops around, the innermost first."""
        return [it.node for it in self.within("loop")]


@dataclass
class Trace:
    """All events. touched: the functions (roots) that handle an Accelerator or something that it prepared. partial:
    the script was too long to be followed to its end."""

    events: list[Event] = field(default_factory=list)
    touched: set[ast.AST | None] = field(default_factory=set)
    partial: bool = False
    _seen: dict[tuple[Any, ...], Event] = field(default_factory=dict)

    def add(self, event: Event) -> Event:
        """Note an event, once for each line, object and place."""
        where = tuple((it.kind, id(it.node), it.which) for it in event.inside)
        key = (event.kind, id(event.node), id(event.of), where, id(event.root))
        known = self._seen.get(key)
        if known is not None and (known.sure or not event.sure):
            return known
        self._seen[key] = event
        self.events.append(event)
        return event

    def of(self, *kinds: str) -> list[Event]:
        return [it for it in self.events if it.kind in kinds]
