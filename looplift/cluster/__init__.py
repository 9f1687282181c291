"""A cluster: the same judging on other machines, sent there and back through a Dask scheduler.

What goes out: a submission's notebook and the sizes of its hidden runs, never the course's secret. What comes back:
the verdict's JSON, checked before it is kept. Workers need the wheel, in the versions that are here.

**Trust.** Whoever reaches a Dask scheduler can run programs on its workers, and its workers on those who use it. So
a scheduler without TLS must stand in a network in which everybody is trusted. Submissions are enclosed on a worker as
they are here, without any network, so they do not reach it.
"""

from looplift.cluster.judges import cluster_judges

__all__ = ["cluster_judges"]
