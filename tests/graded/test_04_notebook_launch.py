"""Graded tests of lesson 04: the notebook tutorial whole, with the line that launches it."""

from looplift import checks
from looplift.checks import points
from looplift.hidden.heads import heads

TASK = heads()


@points(2)
def test_launched(evidence):
    """your launch starts training_loop on two processes"""
    checks.launched(evidence.launch(), evidence)


@points(1)
def test_seeded(evidence):
    """each process sets the seed first and makes an Accelerator of its own"""
    checks.seeded(evidence.on(processes=2))


@points(1)
def test_moves(evidence):
    """the class weights go to accelerator.device, and nothing else is moved by hand"""
    checks.no_manual_moves(evidence.on(processes=2))


@points(1)
def test_prepared(evidence):
    """model, optimizer and loader go through prepare"""
    checks.prepared(evidence.on(processes=2), "model", "optimizer", "train_loader")


@points(1)
def test_head_only(evidence):
    """the head is trained, and the body stays as it is"""
    checks.head_only(evidence.on(processes=2), evidence)


@points(2)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)
    checks.trained_like_plain(evidence.on(processes=1), evidence)


@points(2)
def test_accuracy(evidence):
    """the accuracy of each epoch is printed once, and counts every row once"""
    checks.printed_once(evidence.on(processes=2))
    checks.every_row_once(evidence.on(processes=2), evidence)
