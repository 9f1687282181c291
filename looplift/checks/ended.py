"""What is asked of the accelerator after `end_training`, which takes the processes apart."""

from __future__ import annotations

from typing import Any

from looplift.evidence import Run
from looplift.verdict import Finding


def after_the_end(event: dict[str, Any], run: Run) -> Finding | None:
    """The finding when an exception says that the processes are not joined, and end_training had been called."""
    if "process group has not been initialized" not in str(event["text"]):
        return None
    ends = (it for it in run.of("tracker", event.get("rank")) if it["name"] == "end_training")
    ended = next((it for it in ends if it["at"] < event["at"]), None)
    if ended is None:
        return None
    return Finding(
        "ended-too-early",
        "the processes are asked to do something together after end_training has been called",
        expected="end_training once, as the last line of the training",
        so="it not only closes the log but also takes the processes apart, and training stopped there",
        where=run.place(ended["where"]),
        next="call accelerator.end_training() after the last epoch",
    )
