"""What a plain script does by hand and an Accelerator does for it: processes, shards, mixed precision."""

from __future__ import annotations

from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, source

_BY_HAND = {
    "ddp": ("the model is wrapped by hand", "take it out: prepare wraps the model where there are several processes"),
    "parallel": ("DataParallel splits batches inside one process", "take it out: prepare the model instead"),
    "sampler": ("rows are shared out by a sampler", "take the sampler out, with shuffle=True for a shuffled order: "
                "prepare shares the rows out"),
    "set_epoch": ("the sampler is told the epoch", "take it out: a prepared loader counts its epochs"),
    "init_process_group": ("the processes are joined by hand", "take it out: Accelerator() joins them"),
    "destroy_process_group": ("the processes are parted by hand", "write accelerator.end_training(), or nothing"),
    "new_group": ("a group of processes is made by hand", "keep it only if not all processes take part"),
    "set_device": ("the GPU of this process is chosen by hand", "take it out: Accelerator() chooses it"),
    "rank": ("rank or number of processes is asked of torch.distributed", "write accelerator.process_index, "
             "accelerator.num_processes or accelerator.is_main_process"),
    "spawn": ("processes are started from inside the script", "start it with accelerate launch, or with "
              "notebook_launcher in a notebook"),
    "collective": ("processes exchange tensors by hand", "write accelerator.gather, accelerator.reduce or "
                   "accelerator.wait_for_everyone"),
}  # fmt: skip
_PRECISION = {
    "autocast": ("mixed precision by hand", "take it out, and write Accelerator(mixed_precision=...)"),
    "scaler": (
        "the loss is scaled by hand",
        "take the scaler out: accelerator.backward and a prepared optimizer scale",
    ),
}


def by_hand(case: Case) -> Iterator[Hit]:
    """Distributed training and mixed precision, written out."""
    for event in case.of("by hand"):
        what = event.facts["what"]
        if what in _BY_HAND:
            saw, following = _BY_HAND[what]
            kind = "sharded-twice" if what in ("sampler", "set_epoch") else "distributed-by-hand"
            yield Hit(kind, event.node, f"{saw}: {source(event.node)}", following)
        elif what in _PRECISION:
            saw, following = _PRECISION[what]
            yield Hit("mixed-precision-by-hand", event.node, f"{saw}: {source(event.node)}", following)


RULES = (by_hand,)
