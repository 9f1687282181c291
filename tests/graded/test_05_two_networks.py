"""Graded tests of lesson 05: two networks that play against each other, each trained as one."""

from looplift import checks
from looplift.checks import points
from looplift.hidden.rings import rings

TASK = rings()


@points(1)
def test_one_accelerator(evidence):
    """one Accelerator for both networks, made inside training_loop"""
    checks.one_accelerator(evidence.on(processes=2))


@points(2)
def test_backward(evidence):
    """all three backward passes go through the accelerator"""
    checks.backward_through_accelerator(evidence.on(processes=2))


@points(3)
def test_prepared(evidence):
    """both networks, both optimizers and the loader go through prepare"""
    checks.networks_prepared(evidence.on(processes=2))


@points(4)
def test_one_training(evidence):
    """two processes train one generator and one discriminator, the plain loop's"""
    checks.networks_trained(evidence.on(processes=2), evidence)
    checks.networks_trained(evidence.on(processes=1), evidence)
