"""Who makes a course's verdicts on other machines: judges that send jobs to a Dask cluster."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING

from looplift.fault import KitError
from looplift.pool import Job, Judges, Tell
from looplift.verdict import Verdict

if TYPE_CHECKING:
    from looplift.cluster.dispatch import Dispatch


@contextmanager
def cluster_judges(
    address: str,
    processes: int = 0,
    sandbox: bool = True,
    warn: Callable[[str], None] = lambda sentence: None,
    patience: float = 30.0,
) -> Iterator[Judges]:
    """Judges for `grade_course` on a Dask cluster. It is asked when there is something to judge, and left afterwards.

    address: of the scheduler, such as tcp://HOST:8786, or tls:// with what Dask's own configuration says of
    certificates. processes: how many jobs may be out at once, by default two for each thread of a worker. sandbox:
    enclose each run; a worker that cannot is refused. warn: told what an instructor should know. patience: seconds
    without a worker after which it is given up.
    Raises KitError without the extra; the judges do when the cluster cannot be used or is lost. What was judged until
    then has been handed out, and is kept.
    """
    if find_spec("distributed") is None:
        raise KitError("grading on a cluster needs distributed: pip install 'looplift[cluster]'")
    dispatch: Dispatch | None = None

    def judges(jobs: Iterable[Job], tell: Tell) -> Iterator[tuple[Job, Verdict | KitError]]:
        nonlocal dispatch
        for first in (coming := iter(jobs)):
            from looplift.cluster.cluster import Cluster
            from looplift.cluster.dispatch import Dispatch

            cluster = Cluster(address, secrets.token_hex(8), sandbox, warn, patience)
            dispatch = Dispatch(cluster, processes)
            yield from dispatch.verdicts(chain([first], coming), tell)
            dispatch.close()

    try:
        yield judges
    finally:
        if dispatch is not None:
            dispatch.close()
