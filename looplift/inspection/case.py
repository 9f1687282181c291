"""The trace of a script, with the questions that rules ask of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from looplift.inspection.data import Data, State
from looplift.inspection.joining import things_within
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event, Inside, Trace
from looplift.inspection.values import Args, Const, Mapping, Sequence, Value


@dataclass(frozen=True)
class Hit:
    """Something to say about a line. kind: the id of the kind of mistake, which has a page."""

    kind: str
    node: ast.AST
    saw: str
    next: str


@dataclass
class Case:
    """A trace, or the part of it in some functions (roots)."""

    trace: Trace
    roots: frozenset[ast.AST | None] | None = None

    @cached_property
    def events(self) -> list[Event]:
        if self.roots is None:
            return self.trace.events
        return [it for it in self.trace.events if it.root in self.roots]

    def of(self, *kinds: str) -> list[Event]:
        """The events of these kinds."""
        return [it for it in self.events if it.kind in kinds]

    @cached_property
    def backwards(self) -> list[Event]:
        return self.of("backward")

    @cached_property
    def training_loops(self) -> set[ast.AST]:
        """The innermost loops around a backward pass. A loop that `next` draws from counts too."""
        return {it.loop.node for it in self.backwards if it.loop is not None}

    @cached_property
    def loops_with_backward(self) -> set[ast.AST]:
        """All loops around a backward pass, those over epochs too."""
        return {node for it in self.backwards for node in it.loops}

    @cached_property
    def trained_loaders(self) -> list[Thing]:
        """The loaders whose batches a backward pass learns from."""
        found = {id(it.data.loader): it.data.loader for it in self.backwards if it.data and it.data.loader}
        return list(found.values())

    def accelerator_of(self, event: Event) -> Thing | None:
        """The Accelerator of a call, or the first of the script."""
        if isinstance(event.of, Thing) and event.of.kind == "accelerator":
            return event.of
        return self.accelerators[0] if self.accelerators else None

    @cached_property
    def accelerators(self) -> list[Thing]:
        found: dict[int, Thing] = {}
        for it in self.events:
            if isinstance(it.of, Thing) and it.of.kind == "accelerator":
                found.setdefault(id(it.of.root), it.of.root)
        return list(found.values())

    def trains(self, root: ast.AST | None) -> bool:
        """Whether a function trains: elsewhere nobody knows which processes enter it."""
        return any(it.root is root for it in self.backwards)

    def setting(self, name: str) -> object:
        """A setting of the script's Accelerators, the first that says something."""
        return next((it.facts[name] for it in self.accelerators if it.facts.get(name) is not None), None)

    @property
    def accumulates(self) -> bool:
        """Whether gradients are accumulated: the count is given and it is not 1."""
        return any(accumulates(it) for it in self.accelerators)

    @property
    def precise(self) -> bool:
        """Whether nothing in the text asks for mixed precision."""
        return not any(mixed_precision(it) for it in self.accelerators)

    def setting_find_unused(self) -> bool:
        """Whether the script says that parameters may go unused."""
        return any("DistributedDataParallelKwargs" in it.path for it in self._handlers())

    def _handlers(self) -> Iterator[Thing]:
        for accelerator in self.accelerators:
            args = accelerator.facts.get("args")
            if isinstance(args, Args):
                yield from things_within(args.named.get("kwargs_handlers"))

    def called_out(self, root: ast.AST | None) -> bool:
        """Whether a loss goes into code that is not in the text."""
        return any(it.root is root for it in self.of("opaque"))


def accumulates(accelerator: Thing) -> bool:
    steps = accelerator.facts.get("steps")
    if steps is None:
        return False
    return not (isinstance(steps, Const) and steps.value in (1, None))


def mixed_precision(accelerator: Thing) -> str:
    """The precision that the text asks for, "" when none."""
    value = accelerator.facts.get("precision")
    word = value.value if isinstance(value, Const) else "?" if value is not None else None
    return "" if word in (None, "no") else str(word)


def known(thing: Thing) -> bool:
    """Whether the text shows where an object comes from, and that nothing else could have prepared it."""
    return not (
        thing.root.given or thing.whole.given or thing.facts.get("handed") or thing.whole.facts.get("handed")
    )


def conditional(event: Event, until: ast.AST | None = None) -> Iterator[Inside]:
    """The conditions around an event, inside the loop `until`."""
    for it in reversed(event.inside):
        if it.kind == "loop" and (until is None or it.node is until):
            return
        if it.kind in ("if", "ranks"):
            yield it


_OF_A_PROCESS = re.compile(r"main|rank|master|process|should_|world|primary|coordinator", re.IGNORECASE)


def for_one_process(event: Event) -> bool:
    """Whether only some processes reach an event, as far as its conditions' names tell."""
    tests = [
        it.node.test for it in event.inside if it.kind == "if" and isinstance(it.node, (ast.If, ast.IfExp))
    ]
    return event.ranks is not None or any(_OF_A_PROCESS.search(ast.unparse(test)) for test in tests)


def source(node: ast.AST, length: int = 40) -> str:
    """The text of an expression, short."""
    text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= length else text[: length - 3] + "..."


def name_of(thing: Thing, other: str) -> str:
    """What the script calls an object."""
    return (thing.name if thing.wrap == "ddp" else "") or thing.root.name or other


def is_processes(value: Value | None) -> bool:
    return isinstance(value, Data) and value.rank == "processes" and value.length is None


def state_within(value: Value | None, depth: int = 4) -> State | None:
    """The state dict in what is saved."""
    if isinstance(value, State):
        return value
    inner: list[Value] = []
    if isinstance(value, Mapping):
        inner = list(value.items.values())
    elif isinstance(value, Sequence):
        inner = value.items
    return next((found for it in inner if depth and (found := state_within(it, depth - 1))), None)
