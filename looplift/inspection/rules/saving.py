"""What is written to disk, and by which processes."""

from __future__ import annotations

from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, for_one_process, state_within


def keys(case: Case) -> Iterator[Hit]:
    """The state of the wrapper: every key begins with `module.`."""
    for event in case.of("save"):
        state = state_within(event.value)
        if (
            state is not None
            and state.of.wrap in ("prepared", "ddp")
            and state.of.kind == "model"
            and event.sure
        ):
            yield Hit(
                "module-keys",
                event.node,
                "the state of the wrapper is saved: on several processes its keys begin "
                "with `module.` and do not fit the plain model",
                "save accelerator.unwrap_model(model).state_dict() or accelerator.get_state_dict(model)",
            )


def writers(case: Case) -> Iterator[Hit]:
    """A file that every process writes, and a state that only one saves."""
    for event in case.of("save"):
        if not case.trains(event.root):
            continue
        how = event.facts["how"]
        if how in ("save_state",):
            if event.ranks is not None and event.sure:
                yield Hit(
                    "saved-on-the-wrong-ranks",
                    event.node,
                    "save_state has to be called on every process: each keeps its own random state",
                    "take it out of the `if`",
                )
        elif not event.through and event.sure and not for_one_process(event):
            yield Hit(
                "saved-on-the-wrong-ranks",
                event.node,
                "every process writes this file",
                "use accelerator.save, or put it under `if accelerator.is_main_process:`",
            )


RULES = (keys, writers)
