"""Progress bars: who draws them, and whether they fill up."""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.endings import complete
from looplift.checks.lines import definition
from looplift.checks.points import Mend, on_one_process
from looplift.evidence import Run
from looplift.verdict import Finding

_ONE = "bars drawn by one process, each full at its end"


def _by_whom(run: Run) -> Finding | None:
    """The finding when no process draws a bar, or several do. What is drawn over and over on one line is a bar."""
    drawn = {it["rank"]: it for it in reversed(list(run.of("bar", phase="loop")))}
    if not drawn:
        return Finding("no-bar", "no progress bar is drawn", _ONE, "nobody sees how far the training is",
                       definition(run.submission, run.plan.function),
                       "put tqdm around the loader, with disable=not accelerator.is_local_main_process")  # fmt: skip
    if len(drawn) > 1:
        ranks = " and ".join(f"rank {it}" for it in sorted(drawn))
        return Finding("bar-on-every-rank", f"{ranks} each draw a progress bar", _ONE,
                       "they write over each other, on the same line", run.place(drawn[max(drawn)]["where"]),
                       "pass disable=not accelerator.is_local_main_process to tqdm")  # fmt: skip
    return None


def _not_full(run: Run) -> Finding | None:
    """The finding when a bar ends before its end."""
    for it in run.of("bar closed", phase="loop"):
        if it["total"] and 0 < it["count"] < it["total"]:
            return Finding("bar-not-full", f"a progress bar ends at {it['count']:g} of {it['total']:g}", _ONE,
                           "it promises twice as much as comes" if it["total"] > 1.5 * it["count"] else "",
                           run.place(it["where"]), "take the total from the prepared loader: a process goes through "
                           "its own share of the batches, not all of them")  # fmt: skip
    return None


def one_bar(run: Run) -> None:
    """One process draws progress bars, and they fill up. Raises Mend otherwise."""
    with on_one_process(run.plan.processes):
        complete(run)
        found = solo(run) or _by_whom(run) or _not_full(run)
        if found:
            raise Mend(found)
