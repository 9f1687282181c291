"""What is written to disk, and by which processes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, for_one_process, state_within
from looplift.inspection.trace import Event

_THERE = {"exists", "isfile", "is_file", "isdir", "is_dir"}


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
        elif not event.through and event.sure and not for_one_process(event) and not _unless_there(event):
            yield Hit(
                "saved-on-the-wrong-ranks",
                event.node,
                "every process writes this file",
                "use accelerator.save, or put it under `if accelerator.is_main_process:`",
            )


def _unless_there(event: Event) -> bool:
    """Written only where a file is not there yet: who comes first can't be told from the text."""
    tests = (it.node.test for it in event.within("if") if isinstance(it.node, (ast.If, ast.IfExp)))
    return any(
        isinstance(it, ast.Call) and getattr(it.func, "attr", getattr(it.func, "id", "")) in _THERE
        for test in tests
        for it in ast.walk(test)
    )


RULES = (keys, writers)
