"""A log's writer that does not belong to this process: a fork takes its queue along, and not the thread behind it."""

from __future__ import annotations

from looplift.evidence import Run
from looplift.verdict import Finding

_WRITER = "tensorboard/summary/writer"


def writer_of_the_parent(run: Run) -> Finding | None:
    """The finding when a rank waits in the writer of a log, which nobody empties."""
    for rank, frames in sorted(run.outcome.stacks.items()):
        waits = any(name == "put" and file.endswith("queue.py") for file, _, name in frames[:4])
        if not waits or not any(_WRITER in file for file, _, _ in frames[:8]):
            continue
        places = (run.submission.place(file, line) for file, line, _ in frames)
        return Finding(
            "log-opened-before-launch",
            f"rank {rank} waits for a writer of TensorBoard that was made before the launch",
            expected="a log that is opened inside the function",
            so="the thread that empties it stayed in the notebook's own process, and after ten values it is full",
            where=next((it for it in places if it), None),
            next="call accelerator.init_trackers inside training_loop, or make the SummaryWriter there, under "
            "`if accelerator.is_main_process:`",
        )
    return None
