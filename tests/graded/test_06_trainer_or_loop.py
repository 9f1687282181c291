"""Graded tests of lesson 06: a loss that no Trainer has an argument for, over the rows of all processes."""

from looplift import checks
from looplift.checks import points
from looplift.hidden import texts

TASK = texts()


@points(2)
def test_prepared(evidence):
    """model, optimizer and loader go through prepare"""
    checks.prepared(evidence.on(processes=2), "model", "optimizer", "train_loader")


@points(4)
def test_weighed(evidence):
    """each class weighs half, counted over the rows of all processes"""
    checks.weighed_together(evidence.on(processes=2), evidence)


@points(3)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)


@points(1)
def test_one_process(evidence):
    """one process trains what the plain loop trains"""
    checks.trained_like_plain(evidence.on(processes=1), evidence)
