"""Evidence: a submission's loop is really run, and everything it does is written down."""

from looplift.evidence.evidence import Evidence, KitError
from looplift.evidence.run import Batch, Run, Step
from looplift.evidence.runner import Live
from looplift.evidence.watch import Limits
from looplift.hidden.plan import Plan, Sizes, sizes_from

__all__ = ["Batch", "Evidence", "KitError", "Limits", "Live", "Plan", "Run", "Sizes", "Step", "sizes_from"]
