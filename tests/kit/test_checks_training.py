"""How a run is read: which rows made which step, how steps were counted, what a gradient tells."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from looplift.checks.counting import other_length
from looplift.checks.endings import raised
from looplift.checks.gradients import unlike_gradients
from looplift.checks.reference import ways_to_count
from looplift.checks.rows import as_planned, global_batches, rows_by_epoch, step_epochs
from looplift.checks.scheduler import Scheduler
from looplift.evidence import Plan, Run, Sizes
from looplift.evidence.watch import Outcome
from looplift.submission import Submission

SIZES = Sizes(seed=1, batch_size=2, epochs=2, train_rows=8, eval_rows=10)
Event = dict[str, Any]


def written(folder: Path, *ranks: Iterable[Event], sizes: Sizes = SIZES) -> Run:
    """A run whose ranks left these events."""
    at = 0.0
    for rank, events in enumerate(ranks):
        lines = []
        for event in ({"kind": "rank"}, *events, {"kind": "returned"}):
            at += 1.0
            lines.append(
                json.dumps({"at": at, "pid": rank, "rank": rank, "phase": "loop", "where": None} | event)
            )
        (folder / f"events-{rank}.jsonl").write_text("\n".join(lines))
    plan = Plan("training_loop", len(ranks), sizes)
    return Run(plan, Submission("answer.py", ()), folder, Outcome("ended", 0))


def drawn(number: int, *ids: int, part: str = "train") -> list[Event]:
    return [{"kind": "batch", "iteration": number, "part": part, "ids": ids, "prepared": True}]


def step(gradient: float = 1.0, local: float | None = None, rate: float = 0.1) -> list[Event]:
    numbers = {"0": [gradient if local is None else local, gradient]}
    return [{"kind": "step", "lr": [rate], "through": True, "gradients": numbers}]


def trained(number: int, *ids: int, part: str = "train") -> list[Event]:
    """A batch, its backward and the step that follows."""
    return [*drawn(number, *ids, part=part), {"kind": "backward"}, *step()]


def two_epochs(*batches: tuple[int, ...]) -> list[Event]:
    return [event for number in (1, 2) for ids in batches for event in trained(number, *ids)]


def test_a_step_is_made_of_the_rows_of_all_ranks_and_an_epoch_is_a_pass_over_the_loader(tmp_path):
    run = written(tmp_path, two_epochs((0, 1), (4, 5)), two_epochs((2, 3), (6, 7)))
    assert step_epochs(run) == [0, 0, 1, 1]
    assert global_batches(run) == [[[0, 1, 2, 3], [4, 5, 6, 7]]] * 2
    assert as_planned(run) is None


def test_ranks_with_different_numbers_of_rows_weigh_the_same(tmp_path):
    run = written(tmp_path, trained(1, 0, 1, 2), trained(1, 3, 4))
    assert global_batches(run)[0] == [[0, 1, 2, 0, 1, 2, 3, 4, 3, 4, 3, 4]]


def test_one_endless_pass_is_dealt_out_to_the_epochs(tmp_path):
    once = [(0, 1), (2, 3), (4, 5), (6, 7)]
    run = written(tmp_path, [event for ids in once * 2 for event in trained(1, *ids)])
    assert step_epochs(run) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [sorted(epoch) for epoch in rows_by_epoch(run)] == [list(range(8))] * 2
    assert as_planned(run) is None


def test_a_batch_that_was_read_ahead_is_not_taken_for_the_one_in_work(tmp_path):
    fed = {"kind": "fed", "iteration": 1, "part": "train", "ids": [0, 1]}
    ahead = [*drawn(1, 0, 1), *drawn(1, 2, 3), fed, {"kind": "backward"}, *step()]
    last = [{**fed, "ids": [2, 3]}, {"kind": "backward"}, *step()]
    run = written(tmp_path, [*ahead, *last])
    assert [it.batches[0].ids for it in run.steps(0)] == [(0, 1), (2, 3)]


def test_a_batch_that_was_only_looked_at_belongs_to_no_step(tmp_path):
    run = written(tmp_path, [*drawn(1, 6, 7), *trained(2, 0, 1)])
    assert [it.ids for it in run.steps(0)[0].batches] == [(0, 1)]


FAULTS = {
    "different-step-counts": ([(0, 1), (4, 5)], [(2, 3)]),
    "unprepared-loader": ([(0, 1), (2, 3), (4, 5), (6, 7)], [(0, 1), (2, 3), (4, 5), (6, 7)]),
    "sharded-twice": ([(0, 1)], [(2, 3)]),
    "rows-missing": ([(0, 1), (4, 5)], [(2, 3), (6,)]),
    "rows-overlap": ([(0, 1), (4, 5)], [(0, 3), (6, 7)]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rows_that_cannot_be_compared_are_named(tmp_path, fault):
    run = written(tmp_path, *(two_epochs(*batches) for batches in FAULTS[fault]))
    found = as_planned(run)
    # A loader that was never prepared is told as the check of prepare tells it.
    assert found is not None and found.id == ("unprepared-model" if fault == "unprepared-loader" else fault)


def test_rows_of_the_evaluation_set_are_named(tmp_path):
    assert as_planned(written(tmp_path, trained(1, 0, 1, part="eval"))).id == "trained-on-evaluation-rows"


def test_rows_that_nobody_handed_out_are_named(tmp_path):
    assert as_planned(written(tmp_path, trained(1, 0, -1))).id == "unknown-rows"


def test_two_batches_for_a_step_are_named_with_their_numbers(tmp_path):
    epoch = [*drawn(1, 0, 1), {"kind": "backward"}, *trained(1, 2, 3)]
    found = as_planned(written(tmp_path, epoch))
    assert (found.id, found.saw) == ("other-step-count", "the loop takes 1 optimizer steps for 2 batches")


@pytest.mark.parametrize(
    ("passes", "kind", "went"), [(1, "too-few-epochs", "once"), (3, "too-many-epochs", "3 times")]
)
def test_another_number_of_epochs_is_named(tmp_path, passes, kind, went):
    epochs = [trained(number, *range(8)) for number in range(passes)]
    found = as_planned(written(tmp_path, [event for epoch in epochs for event in epoch]))
    assert found.id == kind
    assert f"went {went} through" in found.saw and "asked for 2" in found.saw


def test_a_schedule_may_be_counted_in_the_exercises_batches_or_in_global_ones(tmp_path):
    run = written(tmp_path, two_epochs((0, 1), (4, 5)), two_epochs((2, 3), (6, 7)))
    assert ways_to_count(run) == [(4, 2), (2, 1)]


def test_on_one_process_there_is_one_way_to_count(tmp_path):
    run = written(tmp_path, two_epochs((0, 1), (2, 3), (4, 5), (6, 7)))
    assert ways_to_count(run) == [(4, 1)]


def test_batches_shared_out_among_the_processes_may_be_counted_as_the_loop_asked_for_them(tmp_path):
    asked = {"kind": "loaders made", "batch_size": 1}
    run = written(tmp_path, [asked, *two_epochs((0,), (2,))], [asked, *two_epochs((1,), (3,))])
    assert ways_to_count(run) == [(4, 1), (8, 2)]


TOTALS = {
    4: "that is 1 epoch, and the training has 2",
    12: "that is 3 epochs, and the training has 2",
    16: "rows are counted, not batches",
    6: "the evaluation loader is counted",
    7: "made for 7 steps",
}


@pytest.mark.parametrize("total", TOTALS)
def test_a_wrong_length_is_explained_by_what_was_counted(tmp_path, total):
    moved = {"kind": "schedule", "through": True}
    made = {"kind": "scheduler made", "total": total}
    run = written(tmp_path, [made, *two_epochs((0, 1), (2, 3), (4, 5), (6, 7)), moved])
    found = other_length(Scheduler(run))
    assert found is not None and found.saw.endswith(TOTALS[total])
    assert found.expected == "8 steps: 2 epochs of 4 batches"


def test_the_right_length_is_no_finding(tmp_path):
    moved = {"kind": "schedule", "through": True}
    run = written(tmp_path, [{"kind": "scheduler made", "total": 8}, *trained(1, 0, 1), moved])
    assert other_length(Scheduler(run)) is None


def test_the_pace_is_the_number_of_moves_between_two_steps(tmp_path):
    moved = {"kind": "schedule", "through": True}
    run = written(tmp_path, [*trained(1, 0, 1), moved, moved, *trained(1, 2, 3), moved, moved])
    assert Scheduler(run).pace == 2 and len(Scheduler(run).moves) == 4


PLAIN = [3.0, -1.0, 2.0]
GRADIENTS = {
    None: [3.0, -1.0, 2.0],
    "gradient-scaled": [1.5, -0.5, 1.0],
    "gradients-left-over": [3.0, 2.0, 4.0],
    "gradients-erased": [0.0, 0.0, 0.0],
    "other-gradient": [0.7, 5.0, 1.0],
}


@pytest.mark.parametrize("kind", GRADIENTS)
def test_gradients_are_compared_step_by_step_because_adam_hides_their_size(tmp_path, kind):
    def run_of(name: str, numbers: list[float]) -> Run:
        (tmp_path / name).mkdir()
        steps = [step(number, local=3.0) for number in numbers]
        return written(tmp_path / name, [event for it in steps for event in it])

    found = unlike_gradients(run_of("mine", GRADIENTS[kind]), run_of("plain", PLAIN))
    assert (found.id if found else None) == kind
    if kind == "gradient-scaled":
        assert found.saw == "the gradient is 0.5 times the plain loop's"


def test_only_a_whole_multiple_of_the_first_gradient_is_called_scaled_when_later_ones_differ(tmp_path):
    (tmp_path / "plain").mkdir()
    plain = written(tmp_path / "plain", [event for it in PLAIN for event in step(it)])
    found = []
    for name, first in (("twice", 6.0), ("odd", 4.1)):
        (tmp_path / name).mkdir()
        mine = written(tmp_path / name, [event for it in (first, 0.4, 9.0) for event in step(it)])
        found.append(unlike_gradients(mine, plain).id)
    assert found == ["gradient-scaled", "other-gradient"]


def test_sizes_of_hidden_runs_tell_every_way_to_count_apart():
    from looplift.hidden.plan import sizes_from

    seen = 0
    for number in range(40):
        sizes = sizes_from(f"course {number}", "02_warmup_schedule")
        train = -(-sizes.train_rows // sizes.batch_size)
        evaluation = -(-sizes.eval_rows // (2 * sizes.batch_size))
        counts = [train, -(-train // 2), evaluation, -(-evaluation // 2), sizes.train_rows]
        assert len(set(counts)) == 5, sizes
        assert sizes.batch_size % 2 == 0 and train % 2 == 0
        assert replace(sizes, epochs=sizes.epochs) == sizes_from(f"course {number}", "02_warmup_schedule")
        seen += 1
    assert seen == 40


def test_when_all_ranks_raise_the_same_it_does_not_matter_which_was_first(tmp_path):
    same = {"kind": "raised", "error": "ValueError", "text": "no"}
    for name, ranks in {"one": ((same, 1.0), (same, 2.0)), "other": ((same, 2.0), (same, 1.0))}.items():
        (tmp_path / name).mkdir()
        found = raised(written(tmp_path / name, *([it | {"at": at}] for it, at in ranks)))
        assert found is not None and found.data["rank"] == 0
    (tmp_path / "apart").mkdir()
    apart = raised(
        written(tmp_path / "apart", [same | {"at": 2.0}], [same | {"text": "not this", "at": 1.0}])
    )
    assert apart is not None and apart.data["rank"] == 1
