"""How many optimizer steps a run took, and from how many batches each."""

from __future__ import annotations

from looplift.checks.passes import loop_place, passes
from looplift.evidence import Run
from looplift.verdict import Finding


def step_counts(run: Run) -> Finding | None:
    """The finding when the ranks took different numbers of steps, or a step learned from more or fewer batches than
    the plain loop's does."""
    counts = {rank: len(run.steps(rank)) for rank in run.ranks}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"rank {rank} took {count}" for rank, count in counts.items())
        return Finding(
            "different-step-counts",
            f"the processes took different numbers of steps: {said}",
            expected="the same number on every rank",
            where=loop_place(run),
            next="decide to stop or skip on all ranks together (accelerator.reduce, set_trigger)",
        )
    if run.plan.accumulation > 1:
        return accumulated_otherwise(run)
    steps = run.steps(0)
    if any(len(step.batches) != 1 for step in steps):
        batches = sum(len(step.batches) for step in steps)
        return Finding(
            "other-step-count",
            f"the loop takes {len(steps)} optimizer steps for {batches} batches",
            expected="one optimizer step for each batch, as in the plain loop",
            where=run.place(steps[0].where),
            next="call backward and optimizer.step() once for each batch, inside the loop over batches",
        )
    return None


def batches_drawn(run: Run) -> list[int]:
    """How many training batches rank 0 drew in each pass over a loader that it trained from."""
    drawn = [it["iteration"] for it in run.of("batch", 0, "loop") if it["part"] == "train"]
    return [drawn.count(number) for number in passes(run)]


def groups_wanted(run: Run) -> list[int]:
    """From how many batches each step should learn: `accumulation`, and at the end of a pass what is left."""
    size = run.plan.accumulation
    return [n for count in batches_drawn(run) for n in [size] * (count // size) + [count % size] if n]


def accumulated_otherwise(run: Run) -> Finding | None:
    """The finding when a step does not learn from the `accumulation` batches it should, or the rest of an epoch."""
    size, groups, wanted = run.plan.accumulation, [len(it.batches) for it in run.steps(0)], groups_wanted(run)
    if groups == wanted:
        return None
    where = run.place(run.steps(0)[0].where)
    drawn = batches_drawn(run)
    expected = (
        f"{len(wanted)} steps on each process: one for every {size} batches, and one for what is left at the end "
        "of an epoch"
    )
    saw = f"the loop takes {len(groups)} optimizer step{'s' if len(groups) != 1 else ''} for {sum(drawn)} batches"
    blocks = list(dict.fromkeys(tuple(it["where"]) for it in run.of("accumulate", 0) if it["where"]))
    set_to = [int(it["accumulation"]) for it in run.of("accelerator", 0)]
    if groups and max(groups) == 1 and not all(step.through for step in run.steps(0)):
        return Finding(
            "unprepared-optimizer", "the optimizer was not passed to prepare, and steps after every batch",
            expected, f"it does not know that a step is due only after {size} batches", where,
            "prepare the optimizer too, and step what comes back",
        )  # fmt: skip
    if groups and max(groups) == 1 and not blocks:
        return Finding(
            "accumulate-never-entered", f"{saw}: one after every batch", expected,
            "`gradient_accumulation_steps` only divides the loss; nothing counts the batches", where,
            "put the forward pass, backward, step and zero_grad of a batch inside "
            "`with accelerator.accumulate(model):`",
        )  # fmt: skip
    if groups and max(groups) == 1 and set_to and set_to[-1] != size:
        return Finding(
            "accumulation-not-set", f"{saw}: one after every batch", expected,
            f"the Accelerator accumulates over {set_to[-1]} batch{'es' if set_to[-1] > 1 else ''}, not over {size}",
            where, f"make it with Accelerator(gradient_accumulation_steps={size})",
        )  # fmt: skip
    if len(blocks) > 1:
        return Finding(
            "two-accumulate-blocks", f"{saw}, and {len(blocks)} `accumulate` blocks count each batch", expected,
            "the Accelerator has one counter, and every block moves it on", run.place(list(blocks[1])),
            "use one block for a batch; with two models, accelerator.accumulate(first, second)",
        )  # fmt: skip
    if sum(groups) < sum(drawn) or _crosses_epochs(run):
        return Finding(
            "accumulation-tail", f"{saw}, and the last ones of an epoch are left over", expected,
            "their gradient is lost, or goes into the first step of the next epoch", where,
            "call step and zero_grad for every batch inside the accumulate block: it knows which one is the last",
        )  # fmt: skip
    return Finding(
        "other-step-count", saw, expected, where=where,
        next=f"let every step learn from {size} batches: Accelerator(gradient_accumulation_steps={size}) and one "
        "`with accelerator.accumulate(model):` for each batch",
    )  # fmt: skip


def _crosses_epochs(run: Run) -> bool:
    """Whether a step learned from the batches of two passes."""
    return any(len({batch.iteration for batch in step.batches}) > 1 for step in run.steps(0))
