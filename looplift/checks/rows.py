"""Which rows were trained on, epoch by epoch, all processes together."""

from __future__ import annotations

from collections import Counter
from math import lcm

from looplift.checks.lines import outer_loop, sure_exit
from looplift.checks.passes import lead_steps, loop_place, passes, step_epochs
from looplift.checks.prepare import unprepared
from looplift.checks.stepping import step_counts
from looplift.evidence import Batch, Run
from looplift.verdict import Finding


def _together(parts: list[Batch]) -> list[int]:
    """Rows of one global batch, each rank weighing the same: ranks average their mean losses."""
    rows = [list(batch.ids) for batch in parts]
    whole = lcm(*(len(it) or 1 for it in rows))
    return [index for it in rows for index in it * (whole // (len(it) or 1))]


def global_batches(run: Run) -> list[list[list[int]]]:
    """Row ids of every global batch, epoch by epoch, as the ranks saw them together."""
    epochs: list[list[list[int]]] = [[] for _ in range(run.plan.sizes.epochs)]
    for index, epoch in enumerate(step_epochs(run)):
        steps = [it[index].batches for rank in run.ranks if index < len(it := lead_steps(run, rank))]
        for number in range(max((len(batches) for batches in steps), default=0)):
            epochs[epoch].append(_together([it[number] for it in steps if number < len(it)]))
    return epochs


def rows_by_epoch(run: Run) -> list[Counter[int]]:
    """How often each training row was trained on, epoch by epoch, all ranks together."""
    found: list[Counter[int]] = [Counter() for _ in range(run.plan.sizes.epochs)]
    for index, epoch in enumerate(step_epochs(run)):
        for rank in run.ranks:
            for step in lead_steps(run, rank)[index : index + 1]:
                for batch in step.batches:
                    found[epoch].update(batch.ids)
    return found


def _other_rows(run: Run) -> Finding | None:
    """The finding when a step learns from rows that are not training rows."""
    for rank in run.ranks:
        for batch in (batch for step in run.steps(rank) for batch in step.batches):
            event = run.first("iteration", rank, number=batch.iteration)
            where = run.place(event["where"]) if event else None
            if batch.part == "eval":
                return Finding(
                    "trained-on-evaluation-rows",
                    "the loop trains on the evaluation rows",
                    expected="training on the rows of the train loader only",
                    so="the two loaders are swapped, or the wrong one is looped over",
                    where=where,
                    next="loop over the train loader to train, take no step in the evaluation, and unpack the results "
                    "of prepare in the order of its arguments",
                )
            if batch.part != "train" or -1 in batch.ids:
                return Finding(
                    "unknown-rows",
                    "the loop trains on rows that get_dataloaders did not give",
                    expected="the batches of the train loader, as they come",
                    where=where,
                    next="loop over the train loader of get_dataloaders, and leave its rows as they are",
                )
    return None


def _epoch_count(run: Run) -> Finding | None:
    """The finding when the loop goes through the data more or less often than it was asked to."""
    asked, total, went = run.plan.sizes.epochs, run.plan.sizes.train_rows, len(passes(run))
    read = sum(sum(it.values()) for it in rows_by_epoch(run))
    too_few, too_many = read < total * asked, read >= total * (asked + 1)
    if went == asked or not (too_few or too_many):
        return None
    inner = loop_place(run)
    outer = outer_loop(run.submission, inner) if inner else None
    return Finding(
        "too-few-epochs" if too_few else "too-many-epochs",
        f"the loop went {'once' if went == 1 else f'{went} times'} through the training data, though it was asked for "
        f"{asked} epochs",
        expected=f"epochs={asked} passes",
        where=(sure_exit(run.submission) if too_few else None) or outer or inner,
        next="repeat the loop over the train loader for each of the `epochs`",
    )


def _rows_read(run: Run) -> Finding | None:
    """The finding when an epoch does not read every training row, or reads half of them twice."""
    total, count = run.plan.sizes.train_rows, run.plan.processes
    for epoch in rows_by_epoch(run):
        read, missing = sum(epoch.values()), total - len(epoch)
        if read - len(epoch) >= total // 2 and count > 1:
            return Finding(
                "unprepared-loader",
                f"in one epoch the processes read {read} rows, though there are {total}",
                expected=f"each process a different half: {total} rows, and a few to fill the last batch",
                so="both learn from the same rows and the second process brings nothing",
                where=loop_place(run),
                next="pass the train loader to prepare, and loop over what comes back",
            )
        if missing > 0 and read >= total:
            return Finding(
                "rows-overlap",
                f"in one epoch some rows are read twice, and {missing} of {total} not at all",
                expected=f"all {total} rows in every epoch, shared between the processes",
                where=loop_place(run),
                next="share the rows out once: leave order and sampler to the prepared loader, and go through it "
                "from its first batch to its last",
            )
        if missing >= total // 3 and count > 1:
            return Finding(
                "sharded-twice",
                f"in one epoch the processes read only {len(epoch)} of {total} rows",
                expected=f"all {total} rows in every epoch, shared between the processes",
                so="part of the data is never learned from",
                where=loop_place(run),
                next="share the rows out once: leave it to prepare, without a sampler or slice of your own, and "
                "without a `break`",
            )
        if missing > 0:
            return Finding(
                "rows-missing",
                f"in one epoch the processes read only {len(epoch)} of {total} rows"
                if count > 1
                else f"in one epoch only {len(epoch)} of {total} rows are read",
                expected=f"all {total} rows in every epoch",
                where=loop_place(run),
                next="go through the whole loader in every epoch, its last short batch too",
            )
    return None


def as_planned(run: Run) -> Finding | None:
    """What keeps a run from being compared: other rows than the train loader's, or another number of steps or epochs.

    Any order, sampler and batch size will do, as long as every epoch reads every row.
    """
    found = _other_rows(run) or step_counts(run) or _epoch_count(run) or _rows_read(run)
    if found and found.id == "unprepared-loader":  # say what is seen at prepare, when something is
        roles = ("train_loader",) if run.plan.networks else ("model", "train_loader")
        causes = (unprepared(run, role) for role in roles)
        return next((cause for cause in causes if cause), found)
    return found
