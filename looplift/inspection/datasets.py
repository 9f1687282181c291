"""Data sets, samplers and loaders: who shares the rows out."""

from __future__ import annotations

import ast

from looplift.inspection.joining import data_within, options_of
from looplift.inspection.machine import Machine
from looplift.inspection.thing import Thing
from looplift.inspection.values import Args, Class, Const, Function, Value

_BY_RANK = {"rank", "get_rank", "process_index", "local_rank"}
_OF_MANY = {"num_replicas", "world_size", "num_processes", "get_world_size"}


def look_at_class(thing: Thing, cls: Class) -> None:
    """What a data set or sampler of the script does: share rows out by itself, draw from the process's own numbers."""
    words = {
        it.attr if isinstance(it, ast.Attribute) else it.id
        for it in ast.walk(cls.node)
        if isinstance(it, (ast.Attribute, ast.Name))
    }
    if words & (_BY_RANK | _OF_MANY):
        thing.facts["sharded"] = cls.node
        thing.facts["sharded for sure"] = bool(words & _BY_RANK and words & _OF_MANY)
    thing.facts["iterable"] = cls.library.endswith("IterableDataset")
    thing.facts["has length"] = isinstance(cls.find("__len__"), Function)
    thing.facts["words"] = words
    thing.facts["random"] = next((it for it in ast.walk(cls.node) if _own_random(it)), None)


def _own_random(node: ast.AST) -> bool:
    """`np.random.permutation(n)`, `random.shuffle(rows)`, `torch.randperm(n)` without a generator."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name, base = node.func.attr, node.func.value
    owner = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
    seeded = any(it.arg == "generator" for it in node.keywords)
    drawn = name in ("permutation", "shuffle", "choice", "sample", "randperm", "randint", "choices")
    return drawn and owner in ("random", "torch") and not seeded


def make_loader(machine: Machine, args: Args, node: ast.AST, path: str) -> Thing:
    """A DataLoader. It shares rows out by itself when its sampler or its data set does."""
    loader = Thing(own_kind="loader", node=node, path=path)
    dataset = args.get(0, "dataset")
    sampler = args.named.get("sampler") or args.get(3)
    batch_sampler = args.named.get("batch_sampler") or args.get(4)
    facts = loader.own_facts
    for name, value in (("dataset", dataset), ("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None and not (isinstance(value, Const) and value.value is None):
            facts[name] = value
    for it in (dataset, sampler, batch_sampler):
        for option in options_of(it) if it is not None else ():
            shard = _sharded(option)
            if shard is not None:
                facts["sharded"] = shard
                sure = isinstance(option, Thing) and bool(option.facts.get("sharded for sure"))
                facts["sharded for sure"] = sure and it is not None and len(options_of(it)) == 1
    drop = args.named.get("drop_last")
    facts["drop_last"] = isinstance(drop, Const) and drop.value is True
    if isinstance(dataset, Thing):
        dataset.kind = dataset.kind or "dataset"
        dataset.facts.setdefault("loader", loader)
    return loader


def _sharded(value: Value) -> ast.AST | None:
    if isinstance(value, Thing):
        found = value.facts.get("sharded")
        return found if isinstance(found, ast.AST) else None
    return None


def subset(machine: Machine, args: Args, node: ast.AST) -> Thing:
    """torch.utils.data.Subset: a shard, when its rows are chosen by rank."""
    found = Thing(own_kind="dataset", node=node)
    base = args.get(0, "dataset")
    if isinstance(base, Thing):
        found.part_of = base
        if base.facts.get("sharded"):
            found.own_facts["sharded"] = base.facts["sharded"]
    if any(
        it.rank in ("index", "processes") or it.local for value in args.every for it in data_within(value)
    ):
        found.own_facts.update({"sharded": node, "sharded for sure": True})
    return found


def distributed_sampler(machine: Machine, args: Args, node: ast.AST) -> Thing:
    """torch's DistributedSampler shares the rows out by rank."""
    found = Thing(own_kind="sampler", node=node)
    found.own_facts.update({"sharded": node, "sharded for sure": True})
    machine.note("by hand", node, found, what="sampler")
    return found
