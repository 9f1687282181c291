"""Methods of lists, dicts and texts."""

from __future__ import annotations

import ast

from looplift.inspection.data import Data
from looplift.inspection.joining import combine, data_within, join
from looplift.inspection.machine import Machine
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Const, Mapping, Sequence, Stream, Value

LONGEST = 40  # items of a list that are kept one by one


def call_collection(machine: Machine, of: Value, name: str, args: Args, node: ast.AST) -> Value:
    """What a method of a list, dict, stream or text gives."""
    if isinstance(of, Sequence):
        return _of_sequence(of, name, args)
    if isinstance(of, Mapping):
        return _of_mapping(of, name, args)
    if isinstance(of, Stream):
        return of if not any(data_within(of)) else combine([of])
    data = combine(args.every)
    return data if data.local or data.rank else Thing(node=node, given=True)


def _of_sequence(of: Sequence, name: str, args: Args) -> Value:
    if name in ("append", "add", "extend", "insert", "update") and args.items:
        value = args.items[-1]
        if name in ("extend", "update") and isinstance(value, Sequence):
            of.items += value.items[: LONGEST - len(of.items)]
            of.rest = of.rest or value.rest
        elif len(of.items) < LONGEST:
            of.items.append(value)
        return Const(None)
    if name == "copy":
        return Sequence(list(of.items), of.rest)
    if name == "pop" and of.items:
        return of.items[-1]
    return combine([of], "count") if any(data_within(of)) else Data()


def _of_mapping(of: Mapping, name: str, args: Args) -> Value:
    first = args.items[0] if args.items else None
    known = list(of.items.values())
    if name == "items":
        pairs: list[Value] = [Sequence([Const(key), value]) for key, value in of.items.items()]
        return Sequence(pairs, Sequence([Data(), of.rest]) if of.rest else None)
    if name == "values":
        return Sequence(known, of.rest)
    if name == "keys":
        return Sequence([Const(key) for key in of.items])
    if name in ("get", "pop", "setdefault") and isinstance(first, Const):
        found = of.items.get(first.value) or of.rest
        if found is None and len(args.items) > 1:
            found = args.items[1]
        return found or Thing(given=True)
    if name == "update":
        if isinstance(first, Mapping):
            of.items.update(first.items)
            of.rest = of.rest or first.rest
        elif first is not None:
            of.rest = first if of.rest is None else join(of.rest, first)
        of.items.update({key: value for key, value in args.named.items() if not key.startswith("*")})
        return Const(None)
    if name == "copy":
        return Mapping(dict(of.items), of.rest)
    return combine([of]) if any(data_within(of)) else Thing(given=True)
