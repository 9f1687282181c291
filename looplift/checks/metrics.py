"""The number that evaluation reports, against the truth for the final weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from looplift.checks.accelerators import solo
from looplift.checks.endings import complete
from looplift.checks.lines import definition
from looplift.checks.points import Mend, on_one_process
from looplift.checks.printed import printed_score
from looplift.checks.scores import Rows, Way, drawn, gather_place, loop_place, wrong_ways
from looplift.evidence import Evidence, Run
from looplift.verdict import Finding

CLOSE = 1e-6
LOOKS = 4  # sets of hidden rows that are tried before a number is believed that proves little


def _number(value: Any) -> float | None:
    """The score in what a function returned: itself, or the last number in a list or dict."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list) and value:
        return _number(value[-1])
    return None


def _name(evidence: Evidence) -> str:
    """What sentences call the metric."""
    assert evidence.task.metric is not None, "this lesson's hidden task has no metric"
    return evidence.task.metric.name


def _scorer(run: Run, evidence: Evidence) -> Callable[[Rows], float]:
    """The metric of the run's final weights over evaluation rows, given by their ids.

    Each row is predicted once: a hundred ways of counting are tried on them.
    """
    import torch

    metric = evidence.task.metric
    assert metric is not None, "this lesson's hidden task has no metric"
    torch.set_default_dtype(torch.float64)
    model, rows = evidence.task.make_model(evidence.sizes), evidence.eval_rows()
    model.load_state_dict(run.weights(0) or {})
    predicted, labels = metric.predict(model, rows), torch.stack([row["labels"] for row in rows])

    def score(ids: Rows) -> float:
        chosen = [index for index in ids if index >= 0]
        return metric.score(predicted[chosen], labels[chosen]) if chosen else 0.0

    return score


def _before_last_step(run: Run) -> bool:
    """True when the last evaluation came before the last optimizer step."""
    steps = [it["at"] for it in run.of("step", 0)]
    batches = [it["at"] for it in run.of("batch", 0) if it["part"] == "eval"]
    return bool(steps and batches) and max(batches) < max(steps)


def _explained(
    run: Run, count: int, ways: list[Way], reported: tuple[float, float], truth: float, name: str
) -> Finding:
    """Which wrong way of counting gives the number that was reported, and how exactly it was. name: of the metric."""
    got, close = reported
    expected = f"each of the {count} evaluation rows counted once: {name} {truth:.4f}"
    data = {"reported": got, "truth": truth}
    looked = len(set(drawn(run).all))
    if not looked:
        return Finding("nothing-evaluated", f"the reported {name} {got:.4f} does not come from the evaluation loader",
                       expected, "no evaluation row is looked at", definition(run.submission, run.plan.function),
                       "loop over the evaluation loader after each epoch", data)  # fmt: skip
    if _before_last_step(run):
        return Finding("measured-too-early", "the last evaluation comes before the last training step", expected,
                       f"the reported {name} {got:.4f} is not that of the final weights", loop_place(run),
                       "evaluate at the end of each epoch", data)  # fmt: skip
    way = next((it for it in ways if it.gives(got, close)), None)
    if way is not None:
        saw = f"the reported {name} {got:.4f} {way.saw}"
        return Finding(way.id, saw, expected, way.so, way.where, way.next, data)
    if looked < count:
        return Finding("rows-left-out", f"only {looked} of {count} evaluation rows are looked at", expected,
                       f"the reported {name} {got:.4f} says nothing of the others", loop_place(run),
                       "go through the whole evaluation loader, on every rank", data)  # fmt: skip
    return Finding("other-metric", f"the reported {name} is {got:.4f}, but the final weights give {truth:.4f}",
                   expected,
                   "it measures something else, or other rows", gather_place(run),
                   "compare with the evaluation of plain_loop: model.eval(), predictions and labels of each batch "
                   "gathered together, the same counts and formula, the last epoch reported", data)  # fmt: skip


def _reported(run: Run, evidence: Evidence, truth: float) -> tuple[float, float]:
    """The number that the run reports, and how exactly: returned, or printed where the exercise prints it."""
    name, metric = _name(evidence), evidence.task.metric
    if metric is not None and metric.printed:
        return printed_score(run, name, truth)
    got = _number(run.returned(0))
    if got is None:
        raise Mend(
            Finding(
                "no-metric",
                "training_loop returns no number on the main process",
                expected=f"the {name} of the last epoch",
                so="nobody can use or check the result",
                where=definition(run.submission, run.plan.function),
                next=f"end the function with `return {name.lower()}`, on every process",
            )
        )
    return got, CLOSE


def _agree(run: Run) -> None:
    """Every rank that returned gave the same number. Raises Mend otherwise."""
    numbers = {rank: _number(run.returned(rank)) for rank in run.ranks}
    given = {rank: it for rank, it in numbers.items() if it is not None}
    silent = [rank for rank in run.ranks if rank not in given]
    if given and silent:
        raise Mend(
            Finding(
                "no-metric-on-a-rank",
                f"rank {silent[0]} returns no number, though rank {min(given)} returns {given[min(given)]:.4f}",
                expected="the same F1 on every rank",
                so="whatever comes after the function goes different ways on the two processes",
                where=definition(run.submission, run.plan.function),
                next="return the F1 on every rank, outside any `if` on the rank",
            )
        )
    if len(given) > 1 and max(given.values()) - min(given.values()) > CLOSE:
        said = ", ".join(f"rank {rank} returns {it:.4f}" for rank, it in given.items())
        raise Mend(
            Finding(
                "ranks-report-different-numbers",
                f"the processes do not agree: {said}",
                expected="the same F1 on every rank",
                so="there is no one answer",
                where=gather_place(run),
                next="gather predictions and labels on every rank before the F1 is computed",
            )
        )


def _right(run: Run, evidence: Evidence) -> bool:
    """The reported number is right. False when it proves nothing, as a wrong way of counting gives it too.

    Raises Mend when it is not right.
    """
    complete(run)
    alone = solo(run)
    if alone:
        raise Mend(alone)
    name, count, score = _name(evidence), evidence.sizes.eval_rows, _scorer(run, evidence)
    truth, ways = score(range(count)), wrong_ways(run, count, score, name)
    got, close = _reported(run, evidence, truth)
    if abs(got - truth) > close:
        raise Mend(_explained(run, count, ways, (got, close), truth, name))
    return not any(way.gives(truth, close) for way in ways)


def _look(run: Run, evidence: Evidence, every_rank: bool) -> None:
    """Look at the number on as many sets of hidden rows as it takes until right and wrong ways differ."""
    with on_one_process(run.plan.processes):
        for number in range(LOOKS):
            here = evidence.again(number)
            again = here.on(processes=run.plan.processes) if number else run
            if every_rank:
                complete(again)
                _agree(again)
            if _right(again, here):
                return


def every_row_once(run: Run, evidence: Evidence) -> None:
    """The reported metric counts each evaluation row once. Raises Mend with the way it was counted instead."""
    _look(run, evidence, every_rank=False)


def same_answer(one: Run, two: Run, evidence: Evidence) -> None:
    """Every process reports the same number, and one process alone is right too. Raises Mend otherwise."""
    _look(one, evidence, every_rank=False)
    _look(two, evidence, every_rank=True)
