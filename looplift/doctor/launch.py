"""A real launch on two processes, in a process of its own: `python -m looplift.doctor.launch FOLDER`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from looplift.doctor.facts import Launched

PATIENCE = 180.0  # seconds: imports on a slow disk take most of it; a launch that hangs is ended then
PROCESSES = 2


def launch(program: str = sys.executable, patience: float = PATIENCE) -> Launched:
    """Launch as an exercise does, on any free port, and say what the processes saw of themselves."""
    with tempfile.TemporaryDirectory(prefix="looplift-doctor-") as name:
        folder = Path(name)
        log = folder / "output.txt"
        with log.open("wb") as output:
            # A group of its own, so that a launch that hangs can be ended with all of its processes.
            process = subprocess.Popen(
                [program, "-m", "looplift.doctor.launch", name],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                code: int | None = process.wait(patience)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end(process)
        said = [json.loads(path.read_text()) for path in sorted(folder.glob("rank-*.json"))]
        ranks = tuple((it["rank"], it["world"]) for it in said)
        device = said[0]["device"] if said else ""
        return Launched(PROCESSES, ranks, device, _trouble(code, log, patience))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the launch and all that it started; elastic gives each rank a place in the same group or session."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _trouble(code: int | None, log: Path, patience: float) -> str:
    if code == 0:
        return ""
    if code is None:
        return f"it hung for {patience:.0f} seconds: a firewall may block 127.0.0.1"
    written = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"it ended with {code}: {written[-1].strip() if written else 'no word'}"


def _rank(folder: str) -> None:
    """What each process does: make an Accelerator, add up over all, write down who it is."""
    import torch
    from accelerate import Accelerator

    accelerator = Accelerator()
    # A collective: processes that are alone would each see only themselves.
    world = int(accelerator.reduce(torch.ones(1, device=accelerator.device)).item())
    said = {"rank": accelerator.process_index, "world": world, "device": accelerator.device.type}
    Path(folder, f"rank-{os.getpid()}.json").write_text(json.dumps(said), encoding="utf-8")


def _main(folder: str) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    import torch

    if torch.cuda.device_count() < PROCESSES:
        os.environ["ACCELERATE_USE_CPU"] = "yes"
    from accelerate import notebook_launcher

    from looplift.evidence.runner import free_port

    notebook_launcher(_rank, (folder,), num_processes=PROCESSES, use_port=str(free_port()))


if __name__ == "__main__":
    _main(sys.argv[1])
