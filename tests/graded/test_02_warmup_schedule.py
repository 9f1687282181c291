"""Graded tests of lesson 02: a schedule that is right on any number of processes."""

from looplift import checks
from looplift.checks import points
from looplift.hidden import images

TASK = images()


@points(2)
def test_prepared(evidence):
    """model, optimizer and loader go through prepare"""
    checks.prepared(evidence.on(processes=2), "model", "optimizer", "train_loader")


@points(4)
def test_learning_rates(evidence):
    """the learning rate rises and falls as in the plain loop"""
    checks.learning_rates(evidence.on(processes=2), evidence)
    checks.learning_rates(evidence.on(processes=1), evidence)


@points(3)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)


@points(1)
def test_one_process(evidence):
    """one process trains what the plain loop trains"""
    checks.trained_like_plain(evidence.on(processes=1), evidence)
