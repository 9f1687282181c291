"""Python's own functions: print, len, zip, getattr and so on."""

from __future__ import annotations

import ast
from collections.abc import Callable

from looplift.inspection.attributes import get_attribute, set_attribute
from looplift.inspection.data import Data, Length
from looplift.inspection.expressions import call
from looplift.inspection.joining import combine, data_within, join_all
from looplift.inspection.logic import mixed
from looplift.inspection.looping import element_of, loader_of
from looplift.inspection.machine import Machine
from looplift.inspection.tensors import reduced
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Const, Mapped, Mapping, Never, Sequence, Stream, Value

Handler = Callable[[Machine, Args, ast.AST], Value]


def _print(machine: Machine, args: Args, node: ast.AST) -> Value:
    machine.note("print", node, None, how="every", value=Sequence(args.every))
    return Const(None)


def _len(machine: Machine, args: Args, node: ast.AST) -> Value:
    of = args.get(0)
    if isinstance(of, Thing):
        if of.kind in ("", "loader"):
            machine.note("len", node, of)
            return Data(length=Length(of))
        loader = of.facts.get("loader") if of.kind == "dataset" else None
        return Data(length=Length(loader, rows=True)) if isinstance(loader, Thing) else Data()
    if isinstance(of, Stream) and of.loader is not None:
        return Data(length=Length(of.loader))
    data = next(data_within(of), None)
    if isinstance(of, Sequence) and data is not None:
        return combine([of], "count")
    return reduced(machine, data, node) if data is not None else Data()


def _range(machine: Machine, args: Args, node: ast.AST) -> Value:
    bound = combine(args.items)
    if len(args.items) == 1 and bound.rank == "processes":
        return Stream(Data(rank="index"))  # one round for each process
    # range(rank, rows, processes): rows of this process
    return Stream(Data(local=bound.local))


def _enumerate(machine: Machine, args: Args, node: ast.AST) -> Value:
    source = args.get(0) or Const(None)
    if isinstance(source, Sequence) and source.rest is None:
        return Sequence([Sequence([Data(), it]) for it in source.items])
    return Stream(Sequence([Data(), element_of(machine, source, node)]), loader_of(source))


def _zip(machine: Machine, args: Args, node: ast.AST) -> Value:
    known = [it for it in args.items if isinstance(it, Sequence) and it.rest is None]
    if args.items and len(known) == len(args.items) and args.rest is None:
        return Sequence([Sequence(list(row)) for row in zip(*(it.items for it in known), strict=False)])
    keyed = [_spelled(it) for it in args.items]
    if args.rest is None and keyed and all(it is not None for it in keyed):
        return Sequence([Sequence(list(row)) for row in zip(*(it for it in keyed if it), strict=False)])
    every = [*args.items, *([args.rest] if args.rest is not None else [])]
    lengths = [len(it.items) for it in known]
    if lengths and len(every) == len(args.items):
        # zip(names, prepare(...)): as many rounds as the known list is long
        rows = [[_at(machine, it, i, node) for it in every] for i in range(min(lengths))]
        return Sequence([Sequence(row) for row in rows])
    loader = next((found for it in every if (found := loader_of(it)) is not None), None)
    return Stream(Sequence([element_of(machine, it, node) for it in every]), loader)


def _spelled(value: Value) -> list[Value] | None:
    """The items of a list or the keys of a dict that are all known."""
    if isinstance(value, Sequence) and value.rest is None:
        return value.items
    if isinstance(value, Mapping) and value.rest is None:
        return [Const(key) for key in value.items]
    return None


def _at(machine: Machine, value: Value, index: int, node: ast.AST) -> Value:
    if isinstance(value, Sequence) and index < len(value.items):
        return value.items[index]
    if isinstance(value, Thing) and value.kind == "":
        return value.part(index)
    return element_of(machine, value, node)


def _map(machine: Machine, args: Args, node: ast.AST) -> Value:
    function, source = args.get(0), args.get(1)
    if function is None or source is None:
        return Thing(node=node, given=True)
    if isinstance(source, Sequence) and source.rest is None:
        return Sequence([call(machine, function, Args([it]), node) for it in source.items])
    if isinstance(source, Thing) and source.kind in ("", "loader"):
        return Mapped(function, source)
    return Stream(call(machine, function, Args([element_of(machine, source, node)]), node), loader_of(source))


def _list(machine: Machine, args: Args, node: ast.AST) -> Value:
    source = args.get(0)
    if source is None:
        return Sequence([])
    if isinstance(source, Sequence):
        return Sequence(list(source.items), source.rest, source.origin)
    if isinstance(source, Mapping):
        return Sequence([Const(key) for key in source.items])
    if isinstance(source, Mapped):
        inner = source.source
        if isinstance(inner, Thing) and inner.kind == "":
            return Sequence([], rest=Thing(node=node, given=True))
        source = Stream(element_of(machine, source, node), loader_of(source))
    if isinstance(source, (Thing, Data)):
        return source  # a list of a loader's batches is gone through like the loader
    if isinstance(source, Stream):
        return Sequence([], rest=source.element) if source.loader is None else source
    return Thing(node=node, given=True)


def _dict(machine: Machine, args: Args, node: ast.AST) -> Value:
    found = Mapping({key: it for key, it in args.named.items() if not key.startswith("*")})
    source = args.get(0)
    if isinstance(source, Mapping):
        found.items.update(source.items)
        found.rest = source.rest
    elif isinstance(source, Sequence):
        for pair in source.items:
            if isinstance(pair, Sequence) and len(pair.items) == 2 and isinstance(pair.items[0], Const):
                found.items[pair.items[0].value] = pair.items[1]
    elif isinstance(source, Data):
        return source
    return found


def _same(machine: Machine, args: Args, node: ast.AST) -> Value:
    return args.get(0) or Thing(node=node, given=True)


def _next(machine: Machine, args: Args, node: ast.AST) -> Value:
    source = args.get(0) or Const(None)
    loader = loader_of(source)
    if loader is not None:
        loop = next((it for it in reversed(machine.inside) if it.kind == "loop"), None)
        machine.touch(loader)
        machine.note("iterate", node, loader, by_next=loop.node if loop else None)
        return element_of(machine, source, loop.node if loop else node)
    return element_of(machine, source, node)


def _sum(machine: Machine, args: Args, node: ast.AST) -> Value:
    source = args.get(0)
    data = combine([source])
    if any(data_within(source)):
        return reduced(machine, data, node)
    return data


def _numbers(machine: Machine, args: Args, node: ast.AST) -> Value:
    """max, min, abs, round, int, float: they keep what the number came from."""
    if len(args.items) == 1 and isinstance(args.items[0], Const):
        return args.items[0]
    mixed(machine, node, args.items)
    data = combine(args.items)
    if len(args.items) == 1 and data.form in ("rows",):
        return reduced(machine, data, node)
    # max(total, 1) and int(0.1 * total) are still a length; a rank becomes a plain number
    return data


def _getattr(machine: Machine, args: Args, node: ast.AST) -> Value:
    of, name = args.get(0), args.get(1)
    if of is not None and isinstance(name, Const) and isinstance(name.value, str):
        return get_attribute(machine, of, name.value, node)
    return Thing(node=node, given=True)


def _setattr(machine: Machine, args: Args, node: ast.AST) -> Value:
    of, name, value = args.get(0), args.get(1), args.get(2)
    if of is not None and value is not None and isinstance(name, Const) and isinstance(name.value, str):
        if isinstance(value, Thing) and not value.root.name:
            value.root.name = name.value
        set_attribute(machine, of, name.value, value, node)
    return Const(None)


def _truth(machine: Machine, args: Args, node: ast.AST) -> Value:
    return Data(local=combine(args.every).local, sure=False)


def _exit(machine: Machine, args: Args, node: ast.AST) -> Value:
    machine.note("leave", node, None, how="exit")
    return Never()


def _super(machine: Machine, args: Args, node: ast.AST) -> Value:
    return Thing(node=node, given=True, name="super")


def _filter(machine: Machine, args: Args, node: ast.AST) -> Value:
    return args.get(1) or Thing(node=node, given=True)


def _vars(machine: Machine, args: Args, node: ast.AST) -> Value:
    of = args.get(0)
    return Mapping(of.attrs) if isinstance(of, Thing) else Thing(node=node, given=True)


def _iter(machine: Machine, args: Args, node: ast.AST) -> Value:
    return args.get(0) or Thing(node=node, given=True)


def _choose(machine: Machine, args: Args, node: ast.AST) -> Value:
    if len(args.items) > 1 and not any(data_within(Sequence(args.items))):
        return join_all(args.items)
    return _numbers(machine, args, node)


BUILTINS: dict[str, Handler] = {
    "print": _print, "len": _len, "range": _range, "enumerate": _enumerate, "zip": _zip, "map": _map,
    "list": _list, "tuple": _list, "set": _list, "sorted": _list, "dict": _dict, "reversed": _same, "iter": _iter,
    "next": _next, "sum": _sum, "max": _choose, "min": _choose, "abs": _numbers, "round": _numbers, "int": _numbers,
    "float": _numbers, "bool": _numbers, "str": _numbers, "pow": _numbers, "getattr": _getattr, "setattr": _setattr,
    "hasattr": _truth, "isinstance": _truth, "any": _truth, "all": _truth, "callable": _truth, "exit": _exit,
    "quit": _exit, "super": _super, "filter": _filter, "vars": _vars,
}  # fmt: skip
