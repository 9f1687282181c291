"""Graded tests of lesson 01: the first refactoring, on real processes."""

from looplift import checks
from looplift.checks import points
from looplift.hidden import texts

TASK = texts()


@points(1)
def test_one_accelerator(evidence):
    """one Accelerator, made inside training_loop"""
    checks.one_accelerator(evidence.on(processes=2))


@points(2)
def test_backward(evidence):
    """every backward goes through the accelerator"""
    checks.backward_through_accelerator(evidence.on(processes=2))


@points(2)
def test_no_manual_moves(evidence):
    """no line moves things to a device by hand"""
    checks.no_manual_moves(evidence.on(processes=2))


@points(2)
def test_prepared(evidence):
    """model, optimizer and loader go through prepare"""
    checks.prepared(evidence.on(processes=2), "model", "optimizer", "train_loader")


@points(3)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)
    checks.trained_like_plain(evidence.on(processes=1), evidence)
