"""Graded tests of lesson 07: a step that learns from several batches, clipped when it is whole."""

from looplift import checks
from looplift.checks import points
from looplift.hidden import texts

TASK = texts(accumulation=4)


@points(1)
def test_prepared(evidence):
    """model, optimizer and loader go through prepare"""
    checks.prepared(evidence.on(processes=2), "model", "optimizer", "train_loader")


@points(4)
def test_accumulated(evidence):
    """a step learns from four batches, and from the rest of an epoch"""
    checks.accumulated(evidence.on(processes=2), evidence)
    checks.accumulated(evidence.on(processes=1), evidence)


@points(2)
def test_clipped(evidence):
    """the gradient is clipped once a step, when it is whole"""
    checks.clipped(evidence.on(processes=2), evidence)


@points(3)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)
    checks.trained_like_plain(evidence.on(processes=1), evidence)
