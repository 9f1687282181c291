"""What is counted in evaluation, and by how many processes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, source
from looplift.inspection.data import Data
from looplift.inspection.joining import data_within
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event


def _even(case: Case, data: Data) -> bool:
    """Whether the loader that the rows came from fills up its last batch on the processes."""
    loader = data.loader
    if not isinstance(loader, Thing) or loader.wrap != "prepared":
        return False
    accelerator = loader.facts.get("accelerator")
    even = loader.facts.get("even_batches")
    if even is None and isinstance(accelerator, Thing):
        even = accelerator.facts.get("even_batches")
    return even in (None, True) and not loader.facts.get("drop_last")


def _evaluated(case: Case, data: Data) -> bool:
    """Rows of predictions from a prepared loader that is not trained from in the same loop."""
    return (
        data.sure and data.from_model and data.loop is not None and data.loop not in case.loops_with_backward
    )


def padded(case: Case) -> Iterator[Hit]:
    """gather, and every row counted that came back."""
    for event in case.of("counted"):
        data = event.data
        if data.gathered is not None and _evaluated(case, data) and _even(case, data):
            yield Hit(
                "rows-counted-twice",
                data.gathered,
                "gather also brings the rows that fill up the last batch, and they are counted again",
                "use accelerator.gather_for_metrics, which drops them",
            )


def counts(case: Case) -> Iterator[Hit]:
    """Counts, not rows, that are brought together, and rows brought together too late."""
    for event in case.of("collective"):
        name = str(event.facts.get("name"))
        for data in data_within(event.value):
            if not _evaluated(case, data) or not _even(case, data) or not data.local or data.gathered:
                continue
            inside = data.loop in event.loops
            if data.form == "ratio":
                yield Hit(
                    "mean-of-metrics",
                    event.node,
                    "each process's own metric is brought together: the metric of "
                    "the whole is not the mean of the parts'",
                    "gather predictions and labels of each batch with "
                    "gather_for_metrics, and compute the metric once",
                )
            elif data.form == "count":
                yield Hit(
                    "rows-counted-twice",
                    event.node,
                    "counts are added up over the processes, and the rows that "
                    "fill up the last batch are in them",
                    "gather the rows of each batch with gather_for_metrics, then count",
                )
            elif name == "gather_for_metrics" and not inside and data.form == "rows":
                yield Hit(
                    "rows-counted-twice",
                    event.node,
                    "after the loop gather_for_metrics no longer knows which rows "
                    "only fill up the last batch",
                    "call it for each batch, inside the loop",
                )
            else:
                continue
            break


def mixed(case: Case) -> Iterator[Hit]:
    """Rows of all processes beside rows of one."""
    for event in case.of("mixed"):
        if event.sure and event.data.sure and event.data.from_model:
            yield Hit(
                "gathered-one-of-two",
                event.node,
                "rows of all processes meet rows of this process only: one was gathered, the other was not",
                "gather both in one call: accelerator.gather_for_metrics((predictions, labels))",
            )


def ragged(case: Case) -> Iterator[Hit]:
    """Rows that were chosen by their content, gathered."""
    for event in case.of("collective"):
        if event.facts.get("name") not in ("gather", "gather_for_metrics", "dist.all_gather"):
            continue
        if any(it.ragged and it.sure and it.local for it in data_within(event.value)):
            yield Hit(
                "different-shapes",
                event.node,
                "each process gathers as many rows as its own data happens to give",
                "gather whole batches and choose afterwards, or pad with accelerator.pad_across_processes",
            )


def local(case: Case) -> Iterator[Hit]:
    """A metric of this process's rows only, reported."""
    for event in case.of("print"):
        for data in data_within(event.value):
            counted = data.form in ("count", "ratio") and data.local and data.gathered is None
            shared = data.loader is not None and data.loader.wrap == "prepared"
            if not counted or not shared or not _evaluated(case, data):
                continue
            line = _loop(case, data) or event
            yield Hit(
                "local-metric",
                line.node,
                f"what {source(event.node, 30)} reports counts this process's rows only",
                "bring predictions and labels of each batch together: accelerator.gather_for_metrics",
            )
            break


def _loop(case: Case, data: Data) -> Event | None:
    found = [it for it in case.of("iterate") if it.of is data.loader]
    return next((it for it in found if it.node is data.loop or _is_in(it.node, data.loop)), None)


def _is_in(node: ast.AST, whole: ast.AST | None) -> bool:
    return whole is not None and any(it is node for it in ast.walk(whole))


RULES = (padded, counts, mixed, ragged, local)
