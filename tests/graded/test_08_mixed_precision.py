"""Graded tests of lesson 08: what is computed in few bits, what is not, and clipping under a scaler."""

from looplift import checks
from looplift.checks import points
from looplift.hidden import pets

TASK = pets()


@points(1)
def test_prepared(evidence):
    """model, optimizer and loader go through prepare"""
    checks.prepared(evidence.on(processes=2, dtype="float32"), "model", "optimizer", "train_loader")


@points(3)
def test_precision(evidence):
    """head and backbone compute in bf16, the weights stay in float32"""
    checks.mixed_precision(evidence.on(processes=2, dtype="float32"))


@points(2)
def test_loss(evidence):
    """the loss is computed in float32"""
    checks.loss_in_full_precision(evidence.on(processes=2, dtype="float32"), evidence)


@points(2)
def test_clipped(evidence):
    """gradients are clipped before each step, under a scaler in their own size"""
    checks.clipped(evidence.on(processes=2), evidence)
    checks.scaled(evidence.on(processes=2, scaler=True), evidence)


@points(2)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)
    checks.trained_like_plain(evidence.on(processes=1), evidence)
