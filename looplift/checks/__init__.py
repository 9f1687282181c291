"""Checks: small functions that look at a run and raise `Mend` when something is to be mended.

Behaviour decides. Each takes what `evidence.on(processes=n)` gives; the graded tests in `tests/graded` call them.
"""

from looplift.checks.accelerators import one_accelerator
from looplift.checks.accumulation import accumulated, clipped
from looplift.checks.backward import backward_through_accelerator
from looplift.checks.bars import one_bar
from looplift.checks.endings import trained
from looplift.checks.heads import head_only
from looplift.checks.launches import launched
from looplift.checks.logged import every_step_logged
from looplift.checks.logs import one_log
from looplift.checks.metrics import every_row_once, same_answer
from looplift.checks.moves import no_manual_moves
from looplift.checks.networks import networks_prepared, networks_trained
from looplift.checks.output import printed_once
from looplift.checks.points import Mend, points
from looplift.checks.precision import loss_in_full_precision, mixed_precision
from looplift.checks.preparation import rows_prepared_once
from looplift.checks.prepare import prepared
from looplift.checks.saving import saved
from looplift.checks.scaling import scaled
from looplift.checks.schedule import learning_rates
from looplift.checks.seeds import seeded
from looplift.checks.shares import weighed_together
from looplift.checks.training import trained_like_plain

__all__ = [
    "Mend",
    "accumulated",
    "backward_through_accelerator",
    "clipped",
    "every_row_once",
    "every_step_logged",
    "head_only",
    "launched",
    "learning_rates",
    "loss_in_full_precision",
    "mixed_precision",
    "networks_prepared",
    "networks_trained",
    "no_manual_moves",
    "one_accelerator",
    "one_bar",
    "one_log",
    "points",
    "prepared",
    "printed_once",
    "rows_prepared_once",
    "same_answer",
    "saved",
    "scaled",
    "seeded",
    "trained",
    "trained_like_plain",
    "weighed_together",
]
