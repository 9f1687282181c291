"""What is printed, and by whom."""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.endings import complete
from looplift.checks.lines import definition
from looplift.checks.points import Mend
from looplift.evidence import Run
from looplift.verdict import Finding


def printed_once(run: Run) -> None:
    """Only the main process prints, a line for each epoch at least. Raises Mend otherwise."""
    complete(run)
    alone = solo(run)
    if alone:
        raise Mend(alone)
    lines = [it for it in run.of("print", phase="loop") if it["stream"] == "stdout" and it["where"]]
    other = next((it for it in lines if it["rank"] != 0), None)
    main = [it for it in lines if it["rank"] == 0]
    if other is not None and not main:
        raise Mend(
            Finding(
                "printed-by-another-rank",
                f"rank {other['rank']} prints, and the main process, rank 0, does not: {other['text'][:60]!r}",
                expected="each line once, from the main process",
                so="nothing is printed where there is only one process",
                where=run.place(other["where"]),
                next="use accelerator.print, which prints on the main process",
            )
        )
    if other is not None:
        raise Mend(
            Finding(
                "printed-by-every-rank",
                f"rank {other['rank']} prints too: {other['text'][:60]!r}",
                expected="each line once, from the main process",
                so="every line appears twice"
                if run.plan.processes == 2
                else f"every line appears {run.plan.processes} times",
                where=run.place(other["where"]),
                next="use accelerator.print instead of print",
            )
        )
    epochs = min(run.plan.sizes.epochs, len(run.evaluated(0)) or 1)  # how many the loop went through
    if len(main) < epochs:
        raise Mend(
            Finding(
                "lines-missing" if main else "nothing-printed",
                f"only {len(main)} line is printed in {epochs} epochs" if main else "nothing is printed",
                expected="one line for each epoch, from the main process",
                so="nobody sees how it went",
                where=run.place(main[0]["where"]) if main else definition(run.submission, run.plan.function),
                next="print the result of each epoch with accelerator.print",
            )
        )
