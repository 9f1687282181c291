"""Logs of a training, and blocks that one process enters after the other."""

from __future__ import annotations

from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, for_one_process, known
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event
from looplift.inspection.values import Args, Const

_FOLDERS = ("project_dir", "project_config", "logging_dir")  # the last one in old versions


def turns(case: Case) -> Iterator[Hit]:
    """What waits for all processes, in a block in which they go one after the other."""
    for event in case.of("collective", "prepare", "backward"):
        block = next(event.within("once"), None)
        if block is None or not event.sure or not _waits(event):
            continue
        name = str(event.facts.get("name") or event.kind)
        yield Hit(
            "deadlock",
            event.node,
            f"{name} waits for all processes, inside a block that they enter one after the other",
            "take the call out of the block of main_process_first",
        )


def _waits(event: Event) -> bool:
    """prepare only waits where it wraps a model."""
    if event.kind == "backward":
        return bool(event.through)
    if event.kind == "prepare":
        return any(isinstance(it, Thing) and it.kind == "model" for it in event.args)
    return True


def trackers(case: Case) -> Iterator[Hit]:
    """Values that are logged where there is no tracker, and a tracker that is told no folder."""
    anywhere = any(it.name == "init_trackers" for it in case.trace.of("track"))
    for accelerator in case.accelerators:
        settings = accelerator.facts.get("args")
        if not isinstance(settings, Args) or not known(accelerator) or _more(settings):
            continue
        calls = [it for it in case.of("track") if it.sure and it.thing.root is accelerator.root]
        begun = [it for it in calls if it.name == "init_trackers"]
        logged = [it for it in calls if it.name == "log"]
        kind = settings.named.get("log_with")
        if kind is None and begun:
            yield Hit("no-tracker", begun[0].node, "init_trackers has nothing to start: the Accelerator was made "
                      "without log_with", 'make it with Accelerator(log_with="tensorboard", project_dir=...)')  # fmt: skip
        elif logged and not anywhere:
            yield Hit("trackers-not-started", logged[0].node, "accelerator.log is called, but init_trackers never is: "
                      "nothing is written", "call accelerator.init_trackers(name, config) before the loop")  # fmt: skip
        without = isinstance(kind, Const) and kind.value == "tensorboard"
        if without and not any(name in settings.named for name in _FOLDERS):
            yield Hit("no-log-folder", accelerator.node, "a log of TensorBoard is asked for, and no folder is named: "
                      "the Accelerator cannot be made", "say it beside log_with: project_dir=...")  # fmt: skip


def writers(case: Case) -> Iterator[Hit]:
    """A log of TensorBoard that every process opens."""
    for event in case.of("writer"):
        if event.sure and case.trains(event.root) and not for_one_process(event):
            yield Hit("log-on-every-rank", event.node, "every process opens this log", "let accelerator.init_trackers "
                      "open it, or put it under `if accelerator.is_main_process:`")  # fmt: skip


def _more(settings: Args) -> bool:
    """Whether arguments may be there that the text does not show."""
    return settings.rest is not None or any(name.startswith("*") for name in settings.named)


RULES = (turns, trackers, writers)
