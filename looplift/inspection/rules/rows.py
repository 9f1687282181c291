"""Who reads which rows: samplers, splits, shards."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, name_of
from looplift.inspection.thing import Thing


def sharded_twice(case: Case) -> Iterator[Hit]:
    """A loader that shares its rows out by itself, prepared."""
    for event in case.of("prepare"):
        for loader in event.args:
            if not isinstance(loader, Thing) or loader.kind != "loader" or loader.wrap:
                continue
            shard = loader.facts.get("sharded")
            if isinstance(shard, ast.AST) and loader.facts.get("sharded for sure") and event.sure:
                yield Hit(
                    "sharded-twice",
                    shard,
                    f"the rows of {name_of(loader, 'this loader')} are shared out here, and "
                    "prepare shares them out again",
                    "take the sampler or slice out; prepare sees to it",
                )


def samplers(case: Case) -> Iterator[Hit]:
    """A sampler of the script's own that each process draws differently, or that does not say its batch size."""
    seeds = case.trace.of("seed")
    same = any(not it.each for it in seeds) and not any(it.each for it in seeds)
    for event in case.of("prepare"):
        for loader in event.args:
            if not isinstance(loader, Thing) or loader.kind != "loader":
                continue
            sampler = loader.facts.get("sampler")
            drawn = sampler.facts.get("random") if isinstance(sampler, Thing) else None
            if isinstance(drawn, ast.AST) and not same:
                yield Hit(
                    "custom-sampler",
                    drawn,
                    "each process draws another order from its own random numbers, so some "
                    "rows are read twice and others never",
                    "draw from a torch.Generator with the same seed everywhere, or use shuffle=True",
                )
            batches = loader.facts.get("batch_sampler")
            if isinstance(batches, Thing) and _says_no_size(batches):
                yield Hit(
                    "custom-sampler",
                    batches.node or event.node,
                    "this batch sampler has no batch_size and drop_last: "
                    "prepare cannot give every process batches of one size",
                    "give it both attributes",
                )


def _says_no_size(sampler: Thing) -> bool:
    """A batch sampler of the script's own without the attributes that `prepare` evens batches out by."""
    words = sampler.facts.get("words")
    said = {*(words if isinstance(words, set) else ()), *sampler.attrs}
    return sampler.cls is not None and not {"batch_size", "drop_last"} <= said


def splits(case: Case) -> Iterator[Hit]:
    """A split that each process makes for itself."""
    seeds = case.trace.of("seed")
    for event in case.of("split"):
        before = [it for it in seeds if it.at < event.at]
        if any(it.each for it in before):
            yield Hit(
                "split-differs",
                event.node,
                "the random numbers differ between the processes here, so each of them "
                "splits differently: rows to be measured on are trained on elsewhere",
                "seed every process alike before the split: set_seed(seed)",
            )
        elif not before:
            yield Hit(
                "split-differs",
                event.node,
                "nothing seeds the random numbers before this split, so each process may split differently",
                "call set_seed(seed) first, or pass a seeded generator",
            )


def endless(case: Case) -> Iterator[Hit]:
    """len() of a loader over an iterable data set."""
    for event in case.of("len"):
        loader = event.of
        dataset = loader.facts.get("dataset") if isinstance(loader, Thing) else None
        if not isinstance(dataset, Thing) or dataset.cls is None or not dataset.facts.get("iterable"):
            continue
        if not dataset.facts.get("has length"):
            yield Hit(
                "iterable-without-length",
                event.node,
                "an iterable data set has no length, so its loader has none either",
                "count the steps by hand, or give the data set a __len__",
            )


RULES = (sharded_twice, samplers, splits, endless)
