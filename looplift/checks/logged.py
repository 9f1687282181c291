"""The numbers in the log: each optimizer step once, with the mean loss of all processes."""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.endings import complete
from looplift.checks.logbook import Logbook, Value, close
from looplift.checks.logs import no_number, nothing_logged
from looplift.checks.losses import Losses, Wanted
from looplift.checks.points import Mend, on_one_process
from looplift.evidence import Run
from looplift.verdict import Finding

_MEAN = "the mean of all processes' losses, for every step once"


def _chosen(log: Logbook, wanted: Wanted) -> tuple[str, list[Value]]:
    """The name under which the loss is most likely logged, and its values."""

    def likely(tag: str) -> tuple[int, int, int]:
        values = log.series[tag]
        right = sum(wanted.fits(step, it.value) for step, it in enumerate(values[: wanted.count]))
        return (right, int("loss" in tag.lower()), len(values))

    tag = max(log.series, key=likely)
    return tag, log.series[tag]


def _numbering(log: Logbook, tag: str, values: list[Value], wanted: Wanted) -> Finding | None:
    """The finding when there are more or fewer values than steps, or two under one number."""
    run, steps, where = log.run, [it.step for it in values], log.run.place(values[-1].event["where"])
    if len(values) < wanted.count:
        early = [it for it in log.calls("log") if not it["started"]]
        if early:
            return Finding(
                "trackers-not-started", f"accelerator.log is called {len(early)} times before init_trackers", _MEAN,
                "these values are in no log, and nothing says so", run.place(early[0]["where"]),
                "call accelerator.init_trackers(name, config) before the loop over epochs")  # fmt: skip
        return Finding(
            "steps-not-logged", f"the log holds {len(values)} values of {tag!r}, and the training took "
            f"{wanted.count} optimizer steps", _MEAN, "the curve leaves out most of the training", where,
            "call log for every batch, inside the loop over batches, under no other `if`")  # fmt: skip
    if len(set(steps)) == 1 and len(values) > 1:
        return Finding(
            "steps-logged-twice", f"all {len(values)} values of {tag!r} are logged as step {steps[0]}", _MEAN,
            "they stand on top of each other, and there is no curve", where,
            "count the steps, and pass the number: accelerator.log(values, step=step)")  # fmt: skip
    if len(set(steps)) < len(steps):
        begin = [at for at in range(1, len(steps)) if steps[at] <= steps[at - 1]]
        again = begin == wanted.epochs[1:] and len(values) == wanted.count
        step = next(it for it in steps if steps.count(it) > 1)
        return Finding(
            "steps-logged-twice", f"in each epoch the steps begin again at {steps[0]}" if again else
            f"step {step} is in the log {steps.count(step)} times", _MEAN,
            "the curve runs back to its beginning, and several values stand over one step", where,
            "count steps over the whole training: set the count to 0 before the loop over epochs, and add 1 once "
            "for each batch")  # fmt: skip
    if len(values) > wanted.count:
        return Finding(
            "steps-counted-otherwise", f"the log holds {len(values)} values of {tag!r}, and the training took only "
            f"{wanted.count} optimizer steps", _MEAN, "", where, "log once for each optimizer step")  # fmt: skip
    return None


def _values(log: Logbook, tag: str, values: list[Value], wanted: Wanted) -> Finding | None:
    """The finding when a value is not the mean of all processes' losses."""
    off = next((step for step, it in enumerate(values) if not wanted.fits(step, it.value)), None)
    if off is None:
        return None
    where = log.run.place(values[off].event["where"])
    together = "let every process call accelerator.gather(loss).mean(), under no `if`, and log the result"
    own = log.run.ranks.index(log.rank)

    def all_are(losses: Losses) -> bool:
        return all(close(it.value, loss) for it, loss in zip(values, losses, strict=True))

    if len(wanted.own) > 1 and all_are(wanted.own[own][: wanted.count]):
        return Finding(
            "one-rank-logged", f"the log holds the losses of rank {log.rank} alone: at step {values[off].step} "
            f"{values[off].value:.4f}, where the mean is {wanted.means[off]:.4f}", _MEAN,
            "half of the rows that were learned from are not in the curve", where, together)  # fmt: skip
    said = f"at step {values[off].step} the log says {values[off].value:.4f}, but the mean loss of the processes is "
    said += f"{wanted.means[off]:.4f}"
    if len(wanted.own) > 1 and all_are([sum(it) for it in wanted.steps]):
        said += ": the losses are added up and not divided by the number of processes"
    elif all_are(wanted.running(True)) or all_are(wanted.running(False)):
        said += ": it is the mean of all steps so far"
    return Finding(
        "other-loss-logged", said, _MEAN, "the curve is not that of the training", where,
        together if len(wanted.own) > 1 else "log the loss of each step as it is")  # fmt: skip


def _counted(values: list[Value], log: Logbook) -> Finding | None:
    """The finding when the numbers of the steps are not 0, 1, 2 and so on."""
    steps = [it.step for it in values]
    if any(steps == list(range(start, start + len(steps))) for start in (0, 1)):
        return None
    run, sizes = log.run, log.run.plan.sizes
    apart = steps[1] - steps[0] if len(steps) > 1 else 0
    rows = {sizes.batch_size, sizes.batch_size * run.plan.processes}
    shown = ", ".join(map(str, steps[:3]))
    why = (
        ": rows are counted, not steps"
        if apart in rows
        else ": the count goes on by the number of processes"
        if apart == run.plan.processes > 1
        else ""
    )
    return Finding(
        "steps-counted-otherwise", f"the steps in the log are {shown} and so on{why}", "0, 1, 2 and so on: the "
        "optimizer steps of the training", "the curve can't be laid over another one",
        run.place(values[0].event["where"]), "begin at 0 and add 1 once for each optimizer step")  # fmt: skip


def every_step_logged(run: Run) -> None:
    """Each optimizer step is in the log once, with the mean loss of all processes. Raises Mend otherwise."""
    with on_one_process(run.plan.processes):
        complete(run)
        log = Logbook(run)
        found = solo(run)
        if found is None and not log.series:
            found = nothing_logged(log)
        if found is None:
            wanted = Wanted(run)
            tag, values = _chosen(log, wanted)
            right = any(wanted.fits(step, it.value) for step, it in enumerate(values[: wanted.count]))
            found = (
                (None if right else no_number(log))
                or _numbering(log, tag, values, wanted)
                or _values(log, tag, values, wanted)
                or _counted(values, log)
            )
        if found:
            raise Mend(found)
