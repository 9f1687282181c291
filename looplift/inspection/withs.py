"""`with`: what its body stands in."""

from __future__ import annotations

import ast

from looplift.inspection.thing import Thing
from looplift.inspection.trace import Inside
from looplift.inspection.values import Library, Method, Value

_ONCE = {"main_process_first", "local_main_process_first"}


def entered(node: ast.expr, value: Value) -> list[Inside]:
    """What the body of `with node` stands in. The call has been evaluated to `value`."""
    if not isinstance(value, Thing):
        return []
    how = value.facts.get("with")
    if how is None:
        return []
    if how in _ONCE:
        return [Inside("once", node)]
    return [Inside(how, node, of=value.facts.get("of"))]


def context(name: str, node: ast.AST, of: Value | None = None) -> Thing:
    """What a call that opens a context gives."""
    thing = Thing(node=node)
    thing.own_facts.update({"with": name, "of": of})
    return thing


def is_no_grad(value: Value) -> bool:
    """torch.no_grad and torch.inference_mode, as decorators too."""
    if isinstance(value, Thing):
        return value.facts.get("with") == "no_grad"
    if isinstance(value, Library):
        return value.name in ("no_grad", "inference_mode")
    return isinstance(value, Method) and value.name in ("no_grad", "inference_mode")
