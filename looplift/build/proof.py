"""Is a pair one training? Both scripts are run, and their weights and words compared."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from looplift.build.problem import Problem
from looplift.evidence.watch import die_with_parent
from looplift.lesson import Lesson, LessonError

# In float64 right pairs differed by 3e-11 at most, wrong ones by 2e-3 and more (measured).
TOLERANCE = 1e-8
_AT_MOST = 240.0  # seconds by the clock; a right pair takes about ten
_LOG = "said.txt"
_STEP = "Let after.py do what before.py does, step for step, or the other way round."


def check_proof(lesson: Lesson) -> list[Problem]:
    """What keeps before.py and after.py from being one training. Runs both, which takes some seconds."""
    facts = prove(lesson.folder, both_launched(lesson))
    if "stopped" in facts:
        stopped = facts["stopped"]
        what = f"{stopped['stage']}: {stopped['why']}"
        return [Problem(lesson.name, what, stopped["where"], "Mend it; `train` must run to its end.")]
    return [Problem(lesson.name, what, "before.py, after.py", step) for what, step in _unlike(facts)]


def both_launched(lesson: Lesson) -> bool:
    """Whether the header says that before.py is a program for several processes, too: `both_launched: true`."""
    try:
        return lesson.about.get("both_launched") is True
    except (LessonError, AttributeError, TypeError):
        return False  # the notebook cannot be read, which is told with the exercise


def prove(folder: Path, both: bool = False) -> dict[str, Any]:
    """What `proofrun` found out about a lesson's folder; {"stopped": ...} when the pair cannot be run.

    both: before.py is launched on two processes, too, and both scripts shuffle their rows.
    The run is a fork of this process, so that nothing is imported again; nothing that it starts outlives it.
    """
    from looplift.build import proofrun  # here, so that the fork has it: it imports torch

    with tempfile.TemporaryDirectory(prefix="looplift-proof-") as out:
        pid = os.fork()
        if pid == 0:
            _run(partial(proofrun.main, both=both), folder, Path(out))
        status = _wait(pid)
        path = Path(out) / proofrun.PROOF
        if path.is_file():
            return dict(json.loads(path.read_text(encoding="utf-8")))
        said = (
            Path(out, _LOG).read_text(encoding="utf-8", errors="replace") if Path(out, _LOG).is_file() else ""
        )
    if status is None:
        return _stopped(f"no end within {_AT_MOST:g} seconds")
    lines = [line for line in said.splitlines() if line.strip()]
    return _stopped(lines[-1].strip() if lines else f"the process ended with status {status}")


def _run(main: Callable[[Path, Path], None], folder: Path, out: Path) -> NoReturn:
    """The forked side."""
    try:
        os.setsid()  # so that all it starts can be ended with it
        die_with_parent()
        log = os.open(out / _LOG, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        for stream, place in ((0, null), (1, log), (2, log)):
            os.dup2(place, stream)
        sys.stdout = sys.stderr = open(log, "w", buffering=1, closefd=False)  # noqa: SIM115
        main(folder, out)
    except BaseException as error:  # noqa: BLE001 - its last line is what the author is told
        os.write(2, f"\n{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(0)


def _wait(pid: int) -> int | None:
    """Wait for the run and end what is left of it. Gives its status, None when it took too long."""
    until = time.monotonic() + _AT_MOST
    try:
        while time.monotonic() < until:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status
            time.sleep(0.05)
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


def _stopped(why: str) -> dict[str, Any]:
    return {
        "stopped": {
            "stage": "before.py and after.py cannot be run",
            "why": why,
            "where": "before.py, after.py",
        }
    }


def _unlike(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(what is not alike, what to do), the plainest first."""
    before, after = facts["own_said"]
    if not before.startswith("epoch 0: "):
        yield "before.py does not begin with `epoch 0: ...`", "Print a line for each epoch."
    if before != after:
        yield "on one process before.py and after.py print different lines", _STEP
    if facts["own_unequal"]:
        unequal = facts["own_unequal"]
        more = f" and {len(unequal) - 1} more" if len(unequal) > 1 else ""
        yield f"on one process the two end with different weights ({unequal[0]}{more})", _STEP
    if facts.get("before_processes", [2, 2]) != [2, 2] or facts.get("before_rows_of_both"):
        yield (
            "launched on two processes, before.py does not share the rows out",
            "Let it read RANK and WORLD_SIZE.",
        )
        return
    if facts["processes"] != [2, 2] or facts["rows_of_both"] or facts["rows_seen"] != facts["rows"]:
        yield _rows(facts), "Pass the train loader to prepare in after.py, and loop over what comes back."
        return  # the weights cannot be alike then
    if facts["between_ranks"] > 0:
        what = f"the two processes of after.py end with different models (by {facts['between_ranks']:.1g})"
        yield what, "Pass the model to prepare in after.py, and train what comes back."
    if not facts["exact"]:
        yield "the model is not in float64 throughout", "Make its parameters with `nn.Module.double` in mind."
    if not facts["from_plain"] <= TOLERANCE:
        what = (
            f"after.py on two processes with batches of 4 ends {facts['from_plain']:.1g} away from before.py "
            "with batches of 8"
        )
        yield what, _STEP
    if not facts.get("from_before", 0.0) <= TOLERANCE:
        what = f"on two processes after.py ends {facts['from_before']:.1g} away from before.py"
        yield what, _STEP
    if len(set(facts["returned"] + facts.get("before_returned", []))) > 1:
        said = ", ".join(str(it) for it in facts["returned"] + facts.get("before_returned", []))
        yield f"before.py and the processes of after.py give back different numbers ({said})", _STEP


def _rows(facts: dict[str, Any]) -> str:
    if facts["processes"] != [2, 2]:
        return f"after.py on two processes sees {facts['processes'][0]} of them"
    if facts["rows_of_both"]:
        return f"both processes of after.py read {facts['rows_of_both']} of the {facts['rows']} training rows"
    return f"the processes of after.py read {facts['rows_seen']} of the {facts['rows']} training rows"
