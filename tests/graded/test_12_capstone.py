"""Graded tests of lesson 12: a training by hand on several processes, handed over to the accelerator as a whole."""

from looplift import checks
from looplift.checks import points
from looplift.hidden import texts

TASK = texts(with_f1=True, accumulation=4, saves="CHECKPOINT")


@points(1)
def test_handed_over(evidence):
    """what trains goes through prepare, the accelerator goes backward and moves"""
    run = evidence.on(processes=2)
    checks.one_accelerator(run)
    checks.prepared(run, "model", "optimizer", "train_loader")
    checks.backward_through_accelerator(run)
    checks.no_manual_moves(run)


@points(1)
def test_accumulated(evidence):
    """a step learns from four batches, and from the rest of an epoch"""
    checks.accumulated(evidence.on(processes=2), evidence)
    checks.accumulated(evidence.on(processes=1), evidence)


@points(1)
def test_clipped(evidence):
    """the gradient is clipped once a step, when it is whole"""
    checks.clipped(evidence.on(processes=2), evidence)


@points(1)
def test_scaled(evidence):
    """under a scaler the steps are the same"""
    checks.scaled(evidence.on(processes=2, scaler=True), evidence)


@points(2)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)
    checks.trained_like_plain(evidence.on(processes=1), evidence)


@points(2)
def test_counted(evidence):
    """the F1 counts every evaluation row once and is the same everywhere"""
    checks.every_row_once(evidence.on(processes=2), evidence)
    checks.same_answer(evidence.on(processes=1), evidence.on(processes=2), evidence)


@points(1)
def test_printed_once(evidence):
    """each result is printed once"""
    checks.printed_once(evidence.on(processes=2))


@points(1)
def test_saved(evidence):
    """one process leaves the final weights in a file that a plain model can read"""
    checks.saved(evidence.on(processes=2))
    checks.saved(evidence.on(processes=1))
