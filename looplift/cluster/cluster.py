"""The connection to a cluster: who works there, whether they are like this machine, what is sent to them."""

from __future__ import annotations

import logging
import os
import threading
import time
import warnings
from asyncio import TimeoutError as AsyncTimeoutError
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pkgutil import resolve_name
from typing import Any

from distributed import Client, Future
from toolz import apply

from looplift.cluster import remote
from looplift.cluster.versions import differences, versions
from looplift.fault import KitError
from looplift.verdict.text import visible

GONE = (OSError, AsyncTimeoutError)  # what Dask raises when who should answer is gone
_CONNECT = 10.0  # seconds for the scheduler to answer
_LEAVE = 10.0  # seconds for the workers to end what they do
_KEPT = "What has been judged is kept: run it again and it goes on from there."


class Cluster:
    """A Dask scheduler, and those of its workers that are fit to judge.

    Raises KitError, in a sentence or two, when there is no scheduler at the address.
    """

    def __init__(
        self, address: str, session: str, sandbox: bool, warn: Callable[[str], None], patience: float
    ) -> None:
        """session: names the grading run. sandbox: enclose each run. patience: seconds to be without a worker."""
        self.address, self.session, self.sandbox = address, session, sandbox
        self.here = versions()
        self.threads: dict[str, int] = {}  # of each worker that is fit
        self.present: frozenset[str] = frozenset()  # workers, fit or not
        self._unfit: dict[str, str] = {}  # why not
        self._settled = False  # whether all who were there at first have been found fit
        self.warn, self._patience = warn, patience
        self._last = time.monotonic()  # when there was a worker
        _be_quiet()
        self._client = _connected(address)

    def require_likeness(self) -> None:
        """Wait for a worker and ask all there are. Raises KitError when there is none, or one that is unfit."""
        while not self.threads:
            self.look()
            if self._unfit:
                raise KitError(f"{'; '.join(self._unfit.values())}. Nothing was sent. {_HOW}")
            if not self.threads:
                time.sleep(0.2)
        self._settled = True

    def look(self) -> None:
        """See who is there and ask who is new. Raises KitError when the scheduler is gone, or for long all workers."""
        present = self._present()
        self.present = frozenset(present)
        self.threads = {it: number for it, number in present.items() if it in self.threads}
        self._unfit = {it: why for it, why in self._unfit.items() if it in present}
        new = {it: number for it, number in present.items() if it not in {*self.threads, *self._unfit}}
        if new:
            for worker, why in self._asked(list(new)).items():
                if why and not self._settled:
                    self._unfit[worker] = why
                elif why:
                    self.refuse(worker, why)
                else:
                    self.threads[worker] = new[worker]
        if self.threads:
            self._last = time.monotonic()
        elif time.monotonic() - self._last > self._patience:
            why = "; ".join(self._unfit.values()) or "start some with `dask worker`"
            raise KitError(
                f"{self.address} has had no worker to judge for {self._patience:g} seconds: {why}. {_KEPT}"
            )

    def refuse(self, worker: str, why: str) -> None:
        """Send nothing more to a worker."""
        self.threads.pop(worker, None)
        if worker not in self._unfit:
            self._unfit[worker] = why
            self.warn(f"{why}. Nothing more is sent there.")

    def doubt(self) -> None:
        """Ask every worker again, the next time."""
        self.threads, self._unfit = {}, {}

    def hear(self, listen: Callable[[Any], None]) -> None:
        """Have what workers tell of this run passed on, in another thread."""
        self._client.subscribe_topic(self.session, lambda event: listen(event[1]))

    def send(self, key: str, job: bytes, workers: Collection[str]) -> Future:
        """Have a job judged by one of `workers`. Dask sends it to another of them when that one dies.

        The function goes by its name, which only a worker looks up: the scheduler needs no looplift.
        """
        name = f"{remote.judge.__module__}:{remote.judge.__name__}"
        task = (apply, (resolve_name, name), job, self.session, self.sandbox, self.here)
        self.require_scheduler()
        try:
            return self._client.get(
                {key: task}, key, sync=False, workers=list(workers), allow_other_workers=False
            )
        except Exception:
            self.require_scheduler()
            raise

    def require_scheduler(self) -> None:
        """Raises KitError when the scheduler is gone."""
        if self._client.status != "running":
            raise self.lost()

    def lost(self) -> KitError:
        return KitError(f"the Dask scheduler at {self.address} is gone. {_KEPT}")

    def close(self, futures: Iterable[Future]) -> None:
        """Call off what is out, end what workers have kept for this run, and leave. Safe to call twice."""
        if self._client.status == "running":
            leaving = threading.Thread(target=self._leave, args=(list(futures),), daemon=True)
            leaving.start()
            leaving.join(_LEAVE)
        with suppress(Exception):
            self._client.close(timeout=2)

    def _leave(self, futures: list[Future]) -> None:
        with suppress(Exception):  # whoever is gone needs not be told
            if futures:
                self._client.cancel(futures, force=True)
            self._client.run(remote.end, self.session, workers=list(self.threads), on_error="ignore")

    def _present(self) -> dict[str, int]:
        """{address: threads} of all workers."""
        self.require_scheduler()
        try:
            workers = self._client.scheduler_info(n_workers=-1)[
                "workers"
            ]  # by default some versions tell of five only
        except GONE:
            raise self.lost() from None
        return {str(address): int(it["nthreads"]) for address, it in workers.items()}

    def _asked(self, workers: list[str]) -> dict[str, str]:
        """Why each worker is unfit, "" when it is not. Those that are gone meanwhile are left out."""
        try:
            told = self._client.run(remote.about, self.sandbox, workers=workers, on_error="return")
        except GONE:
            return {}
        why = {worker: _unfit(worker, it, self.here) for worker, it in told.items()}
        return {worker: it for worker, it in why.items() if it is not None}


_HOW = "Install the versions that are here on every worker, or stop those workers."


def _connected(address: str) -> Client:
    client = Client.__new__(Client)
    try:
        client.__init__(address, timeout=_CONNECT, set_as_default=False)  # type: ignore[misc]
    except GONE:
        raise KitError(
            f"no Dask scheduler answers at {address}: start one there with `dask scheduler`, or mend the address."
        ) from None
    except (
        Exception
    ) as error:  # an address of no kind that Dask knows, TLS that is not configured, another server
        client.status = "closed"  # else it waits half a minute to be closed, when Python ends
        raise KitError(f"{address} cannot be used as a Dask scheduler ({_line(error)}).") from None
    return client


def _unfit(worker: str, told: Any, here: dict[str, str]) -> str | None:
    """Why a worker is unfit, "" when it is not; None when it is gone."""
    if isinstance(told, GONE):
        return None
    if isinstance(told, ImportError):
        return f"the worker at {worker} lacks what it takes ({_line(told)}): install looplift[cluster] there"
    if not isinstance(told, dict) or not isinstance(told.get("versions"), dict):
        return f"the worker at {worker} does not say what it is ({_line(told)})"
    other = differences(here, told["versions"])
    if other:
        return f"the worker at {worker} has {visible(other)}"
    if told.get("open"):
        return f"the worker at {worker} cannot enclose submissions ({_line(told['open'])})"
    return ""


def _line(said: object) -> str:
    lines = str(said).strip().splitlines() or [type(said).__name__]
    return visible(lines[0][:200]).rstrip(".")


def _be_quiet() -> None:
    """What Dask logs and warns of is told here in a sentence of our own."""
    warnings.filterwarnings("ignore", message="Sending large graph")
    warnings.filterwarnings("ignore", message="Mismatched versions")
    if os.environ.get("LOOPLIFT_DEBUG"):
        return
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
