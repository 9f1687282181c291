"""Ways of counting a metric wrongly, and the number that each of them gives for the final weights.

They say which mistake a wrong number comes from. They also say when a right number proves nothing: when a wrong way
gives the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from looplift.evidence import Run
from looplift.verdict import Place

Rows = Sequence[int]


@dataclass(frozen=True)
class Drawn:
    """What the ranks drew from the evaluation rows in their last pass: row ids, batch by batch, for each rank."""

    batches: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def ranks(self) -> list[list[int]]:
        return [[index for batch in rank for index in batch] for rank in self.batches]

    @property
    def all(self) -> list[int]:
        return [index for rank in self.ranks for index in rank]

    @property
    def rounds(self) -> list[list[int]]:
        """The batches that the ranks held at the same time, put together."""
        return [[index for batch in it for index in batch] for it in zip(*self.batches, strict=False)]

    @property
    def new_rows(self) -> list[list[int]]:
        """The rounds without the rows that were there before: without what fills up the last one."""
        seen: set[int] = set()
        found: list[list[int]] = []
        for batch in self.rounds:
            found.append([index for index in dict.fromkeys(batch) if index not in seen])
            seen.update(batch)
        return found


def drawn(run: Run) -> Drawn:
    """The evaluation rows of the last pass of each rank."""
    ranks = []
    for rank in run.ranks:
        batches = [it for it in run.of("batch", rank) if it["part"] == "eval"]
        last = batches[-1]["iteration"] if batches else None
        ranks.append(tuple(tuple(it["ids"]) for it in batches if it["iteration"] == last))
    return Drawn(tuple(ranks))


def loop_place(run: Run) -> Place | None:
    """The line that loops over the evaluation rows."""
    batch = next((it for it in run.of("batch", 0) if it["part"] == "eval"), None)
    event = run.first("iteration", 0, number=batch["iteration"]) if batch else None
    return run.place(event["where"]) if event else None


def gather_place(run: Run) -> Place | None:
    """The line that gathers for the metric, or the one that loops over the evaluation rows."""
    names = ("gather", "gather_for_metrics", "reduce")
    gathered = [it for it in run.of("collective", 0, "loop") if it["name"] in names]
    return run.place(gathered[-1]["where"]) if gathered else loop_place(run)


@dataclass(frozen=True)
class Way:
    """A wrong way of counting. scores: what it gives, in its variants. saw: after `the reported F1 0.1234 `."""

    id: str
    scores: tuple[float, ...]
    saw: str
    so: str
    where: Place | None
    next: str

    def gives(self, value: float, close: float) -> bool:
        """Whether this way leads to a score."""
        return any(abs(it - value) < close for it in self.scores)


def wrong_ways(run: Run, count: int, score: Callable[[Rows], float], name: str) -> list[Way]:
    """Every wrong way that the rows which were drawn allow, the most telling first.

    count: how many evaluation rows there are. score: the metric over some of them, by their ids. name: what sentences
    call it.
    """
    seen = drawn(run)
    if not seen.all:
        return []
    own = seen.ranks[0]
    gather, loop = gather_place(run), loop_place(run)
    alone = len(run.ranks) < 2
    shared = not alone and any(set(rows) != set(range(count)) for rows in seen.ranks)
    found: list[Way] = []

    def mean(parts: Sequence[Rows]) -> float:
        return sum(score(rows) for rows in parts) / len(parts)

    if len({seen.all.count(index) for index in range(count)}) > 1 and len(seen.all) > count:
        found.append(Way(
            "rows-counted-twice", (score(seen.all),), f"counts {len(seen.all)} rows, though there are {count}",
            "the rows that fill up the last batch are counted again", gather,
            "use accelerator.gather_for_metrics on predictions and labels of each batch: it drops them"))  # fmt: skip
    if shared and not any(seen.ranks[1:]):
        found.append(Way(
            "evaluated-on-main-only", (score(own),), f"is that of {len(own)} of {count} rows: only rank 0 evaluates, "
            "and the prepared loader gives it only its share", "the other rows are left out", loop,
            "evaluate on every rank and gather_for_metrics; only the printing is for the main process"))  # fmt: skip
    elif shared:
        found.append(Way(
            "local-metric", (score(own),), f"is that of rank 0's own {len(own)} rows", "the rows of the other process "
            "are left out", loop, "gather predictions and labels of each batch from all processes: "
            "accelerator.gather_for_metrics"))  # fmt: skip
        found.append(Way(
            "mean-of-metrics", (mean(seen.ranks),), f"is the mean of each process's own {name}",
            f"it is another number: an {name} of the whole is not the mean of the parts' {name}", gather,
            f"gather predictions and labels first, then compute the {name} once"))  # fmt: skip
    each = [batch for rank in seen.batches for batch in rank]
    cut = [it for it in (seen.batches[0], each, seen.rounds, seen.new_rows) if len(it) > 1]
    found.append(Way(
        "mean-of-metrics", tuple(mean(it) for it in cut), f"is the mean of the batches' {name}",
        f"it is another number: an {name} of the whole is not the mean of the parts' {name}", loop,
        f"add up the counts over all batches, then compute the {name} once, after the loop"))  # fmt: skip
    found.append(Way(
        "last-batch-only", tuple(score(it[-1]) for it in cut), "is that of the last batch alone", "the batches before "
        "it are forgotten", loop, "set the counts to 0 once an epoch, before the loop over batches"))  # fmt: skip
    whole = "go through the whole evaluation loader, on every rank"
    for it in (seen.rounds, seen.new_rows):
        for end in range(1, len(it)):
            rows = [index for batch in it[:end] for index in batch]
            saw = f"counts only {len(set(rows))} of {count} rows"
            found.append(
                Way("rows-left-out", (score(rows),), saw, "it says nothing of the others", loop, whole)
            )
    return found
