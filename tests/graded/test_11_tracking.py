"""Graded tests of lesson 11: data prepared once, one log with everybody's loss, one bar."""

from looplift import checks
from looplift.checks import points
from looplift.hidden import images

TASK = images(tracked=True)


@points(2)
def test_prepared_once(evidence):
    """the rows are prepared once, before any other process needs them"""
    checks.rows_prepared_once(evidence.on(processes=2))


@points(2)
def test_one_training(evidence):
    """two processes train one model, the plain loop's"""
    checks.trained_like_plain(evidence.on(processes=2), evidence)
    checks.trained_like_plain(evidence.on(processes=1), evidence)


@points(2)
def test_one_log(evidence):
    """one process writes the log, stores the hyperparameters and closes it"""
    checks.one_log(evidence.on(processes=2), evidence)
    checks.one_log(evidence.on(processes=1), evidence)


@points(3)
def test_every_step(evidence):
    """each step is in the log once, with the mean loss of all processes"""
    checks.every_step_logged(evidence.on(processes=2))
    checks.every_step_logged(evidence.on(processes=1))


@points(1)
def test_one_bar(evidence):
    """one process draws progress bars, and they fill up"""
    checks.one_bar(evidence.on(processes=2))
    checks.one_bar(evidence.on(processes=1))
