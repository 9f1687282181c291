"""Graded tests of lesson 03: one honest number from several processes."""

from looplift import checks
from looplift.checks import points
from looplift.hidden import texts

TASK = texts(with_f1=True)


@points(2)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)


@points(4)
def test_every_row_once(evidence):
    """the F1 counts every evaluation row once"""
    checks.every_row_once(evidence.on(processes=2), evidence)


@points(2)
def test_same_answer(evidence):
    """every process, and one process alone, gives the right F1"""
    checks.same_answer(evidence.on(processes=1), evidence.on(processes=2), evidence)


@points(2)
def test_printed_once(evidence):
    """each result is printed once"""
    checks.printed_once(evidence.on(processes=2))
