"""The file of weights that a training leaves behind: who writes it, and whether a plain model can read it."""

from __future__ import annotations

from looplift.checks.accelerators import solo
from looplift.checks.endings import complete
from looplift.checks.lines import definition
from looplift.checks.points import Mend, on_one_process
from looplift.evidence import Run
from looplift.evidence.run import Event
from looplift.verdict import Finding, Place

CLOSE = 1e-12  # weights in the file are those of the model, not computed again
_EXPECTED = "one process writes the final weights to CHECKPOINT, under the names of the plain model"
_HOW = "accelerator.save(accelerator.get_state_dict(model), CHECKPOINT)"


def saved(run: Run) -> None:
    """One process leaves the final weights in the task's file, for a plain model to load. Raises Mend otherwise."""
    with on_one_process(run.plan.processes):
        complete(run)
        found = solo(run) or _by_whom(run) or _content(run)
        if found:
            raise Mend(found)


def _writes(run: Run) -> list[Event]:
    """Calls of torch.save by the loop, its own or through the accelerator."""
    return [it for it in run.of("save", phase="loop") if it["name"] == "torch.save"]


def _place(run: Run) -> Place | None:
    """The line that saves, or the function where none does."""
    writes = [*_writes(run), *run.of("save", phase="loop")]
    return run.place(writes[-1]["where"]) if writes else definition(run.submission, run.plan.function)


def _by_whom(run: Run) -> Finding | None:
    """The finding when no process leaves the file, or more than one writes it."""
    ranks: dict[str, set[int]] = {}
    for event in _writes(run):
        ranks.setdefault(event["path"], set()).add(int(event["rank"]))
    shared = next((path for path, by in ranks.items() if len(by) > 1), None)
    if shared is not None:
        second = sorted(ranks[shared])[1]
        event = next(it for it in _writes(run) if it["path"] == shared and it["rank"] == second)
        return Finding(
            "saved-on-the-wrong-ranks", f"rank {second} writes the same file as rank {min(ranks[shared])}", _EXPECTED,
            "they write at the same time, and now and then the file is broken", run.place(event["where"]),
            "use accelerator.save, which writes on the main process, or put the saving under "
            "`if accelerator.is_main_process:`")  # fmt: skip
    left = run.first("checkpoint")
    if left is not None and left["there"]:
        return None
    return Finding(
        "not-saved", "nothing is saved to CHECKPOINT", _EXPECTED, "the trained weights are gone with the processes",
        _place(run), f"write {_HOW} after the last epoch, on every process")  # fmt: skip


def _content(run: Run) -> Finding | None:
    """The finding when the file does not hold the final weights under the plain model's names."""
    left = run.first("checkpoint")
    if left is None:
        return None
    if left["what"] != "weights":
        first = f" that begins with {left['names'][0]!r}" if left["names"] else ""
        return Finding(
            "saved-otherwise", f"CHECKPOINT holds no plain dict of weights: torch.load gives {left['what']}{first}",
            _EXPECTED, "make_model().load_state_dict(torch.load(CHECKPOINT)) raises", _place(run),
            f"write {_HOW}")  # fmt: skip
    if left["wrapped"]:
        return Finding(
            "module-keys", f"the weights are saved under the wrapper's names, such as {left['names'][0]!r}", _EXPECTED,
            "the plain model does not know these names: load_state_dict raises", _place(run),
            "save accelerator.unwrap_model(model).state_dict() or accelerator.get_state_dict(model)")  # fmt: skip
    apart = left["apart"].get(str(run.trained_model), left["apart"].get(run.trained_model))
    if apart is None:
        return Finding(
            "saved-otherwise", f"CHECKPOINT holds other names than the plain model's: {', '.join(left['names'])}",
            _EXPECTED, "load_state_dict raises", _place(run), f"write {_HOW}")  # fmt: skip
    if not apart <= CLOSE:
        return Finding(
            "saved-too-early", "CHECKPOINT holds other weights than the model has at the end", _EXPECTED,
            f"they differ by up to {apart:.1g}, and what was learned last is lost", _place(run),
            "save after the last step of the last epoch")  # fmt: skip
    return None
