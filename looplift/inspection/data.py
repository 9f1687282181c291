"""Tensors, numbers, parameters and state dicts: what is computed, as far as it matters later."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from looplift.inspection.thing import Thing
from looplift.inspection.values import Value


@dataclass(eq=False)
class Parameters(Value):
    """Parameters of a model, or of a part of it."""

    model: Thing


@dataclass(eq=False)
class State(Value):
    """What `state_dict()` gives. of: the model as it was asked."""

    of: Thing


@dataclass(frozen=True)
class Length:
    """A number of steps that was counted from a loader.

    loader: as it was asked, prepared or not. processes: +1 multiplied by their number, -1 divided by it. rows: the
    rows of the data set were counted. mixed: other things went into the number.
    """

    loader: Thing
    processes: int = 0
    rows: bool = False
    mixed: bool = False


@dataclass(frozen=True, eq=False)
class Data(Value):
    """A tensor or number.

    form: `batch`, `rows` (one entry per row), `loss`, `count` (added up over rows), `ratio` of counts, `number`.
    local: it differs between the processes. loader, loop: what it was drawn from. models: what the forward pass with
    gradient went through. gathered: the call that brought the processes together. padded: it may hold the rows that
    fill up the last batch. ragged: its length differs between processes. scaled: the last factor of a loss.
    rank: `main`, `other`, `some` (true on those processes only), `index`, `processes`, `several`, `one`, `sync`,
    `always`, `never`. drawn: the call that shuffled these numbers.
    sure: False when another branch gives something else.
    """

    form: str = "number"
    local: bool = False
    loader: Thing | None = None
    loop: ast.AST | None = None
    models: tuple[Thing, ...] = ()
    forward: ast.AST | None = None
    from_model: bool = False
    gathered: ast.AST | None = None
    padded: bool = False
    ragged: bool = False
    scaled: tuple[str, Value] | None = None
    length: Length | None = None
    rank: str = ""
    modulo: bool = False
    drawn: ast.AST | None = None
    sure: bool = True
