"""Judging jobs in warm processes of their own, several at once."""

from looplift.pool.job import Job, hidden_sizes
from looplift.pool.pool import Judges, Tell, cores, verdicts
from looplift.pool.scratch import sweep
from looplift.pool.worker import Worker

__all__ = ["Job", "Judges", "Tell", "Worker", "cores", "hidden_sizes", "sweep", "verdicts"]
