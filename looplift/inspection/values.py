"""What a script's names may stand for, as far as the text tells.

Nothing is run. A value of the script is one of the classes below, a `Thing` (thing.py), which has an identity and a
kind (a model, a loader, the accelerator), or `Data` (data.py), what is computed from batches. Only what matters later
is kept of it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from looplift.inspection.scope import Scope
    from looplift.inspection.thing import Thing


class Value:
    """Whatever a name stands for. Values are equal only when they are the same object."""


@dataclass(eq=False)
class Const(Value):
    """A number, a string, None."""

    value: Any


@dataclass(eq=False)
class Never(Value):
    """What a call gives that never comes back: exit()."""


@dataclass(eq=False)
class Sequence(Value):
    """A list or tuple: the items that are known, and what any further item is. origin: the call of prepare."""

    items: list[Value]
    rest: Value | None = None
    origin: Any = None


@dataclass(eq=False)
class Mapping(Value):
    """A dict: the entries that are known by key, and what any other entry is."""

    items: dict[Any, Value]
    rest: Value | None = None


@dataclass(eq=False)
class Function(Value):
    """A function or lambda of the script. bound: its `self`. ranks: `main` when only the main process enters it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    bound: Value | None = None
    ranks: str = ""
    is_property: bool = False
    is_static: bool = False
    no_grad: bool = False


@dataclass(eq=False)
class Class(Value):
    """A class of the script. library: the library class that it inherits from, such as `torch.nn.Module`."""

    node: ast.ClassDef
    bases: tuple[Value, ...]
    attrs: dict[str, Value]
    library: str = ""

    def find(self, name: str) -> Value | None:
        """The attribute of this name, its own or inherited."""
        if name in self.attrs:
            return self.attrs[name]
        parents = (it for it in self.bases if isinstance(it, Class))
        return next((found for it in parents if (found := it.find(name))), None)


@dataclass(eq=False)
class Library(Value):
    """Something imported: `torch.optim.SGD`."""

    path: str

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def package(self) -> str:
        return self.path.partition(".")[0]


@dataclass(eq=False)
class Method(Value):
    """A method that is not called yet: `accelerator.backward`."""

    of: Value
    name: str


@dataclass(eq=False)
class Partial(Value):
    """functools.partial."""

    function: Value
    args: Args


@dataclass(eq=False)
class Choice(Value):
    """One of several values; which one, the text does not tell."""

    options: tuple[Value, ...]


@dataclass(eq=False)
class HalfBound(Value):
    """A value that only some processes have: it was assigned in a branch of the main process, say."""

    value: Value
    ranks: str


@dataclass(eq=False)
class Stream(Value):
    """Something to loop over: what each item is, and the loader that the items come from."""

    element: Value
    loader: Thing | None = None


@dataclass(eq=False)
class Mapped(Value):
    """map(function, source), not yet gone through."""

    function: Value
    source: Value


@dataclass(eq=False)
class Args(Value):
    """The arguments of a call."""

    items: list[Value] = field(default_factory=list)
    rest: Value | None = None
    named: dict[str, Value] = field(default_factory=dict)

    def get(self, position: int, name: str = "") -> Value | None:
        """An argument by its place or name."""
        if position < len(self.items):
            return self.items[position]
        return self.named.get(name)

    @property
    def every(self) -> list[Value]:
        """All arguments, in no order that matters."""
        return [*self.items, *self.named.values(), *([self.rest] if self.rest else [])]
