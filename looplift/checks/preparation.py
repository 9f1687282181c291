"""Data that is prepared once and kept in a file, which every process reads."""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.endings import trained
from looplift.checks.points import Mend
from looplift.evidence import Run
from looplift.verdict import Finding


def rows_prepared_once(run: Run) -> None:
    """One process prepares the rows, and whoever else needs them waits for that. Raises Mend otherwise."""
    trained(run)
    alone = solo(run)
    if alone:
        raise Mend(alone)
    made = {it["rank"]: it for it in reversed(list(run.of("rows asked", phase="loop"))) if not it["there"]}
    if len(made) < 2:
        return
    ranks = " and ".join(f"rank {rank}" for rank in sorted(made))
    raise Mend(
        Finding(
            "rows-prepared-twice",
            f"{ranks} prepare the rows, each of them: neither waits for the other",
            expected="one process prepares the rows and keeps them in a file; the others wait, and then read it",
            so="the work is done twice, and two processes write one file at the same moment",
            where=run.place(made[max(made)]["where"]),
            next="call get_dataloaders inside `with accelerator.main_process_first():`, on every process",
        )
    )
