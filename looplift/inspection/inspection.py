"""Read a script and say what would have to change, without running it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from looplift.inspection.case import Case, Hit
from looplift.inspection.reading import Found, Reading, Unsaid
from looplift.inspection.rules import (
    accumulation,
    backward,
    byhand,
    changes,
    devices,
    launching,
    metrics,
    prepared,
    ranks,
    rows,
    saving,
    schedules,
    tracking,
    trained,
)
from looplift.inspection.rules.unsaid import questions
from looplift.inspection.script import trace_script
from looplift.inspection.source import Source, UnreadableError, read
from looplift.inspection.trace import Trace

Rule = Callable[[Case], Iterator[Hit]]
_ACCELERATE: tuple[Rule, ...] = (
    *launching.RULES, *prepared.RULES, *trained.RULES, *backward.RULES, *accumulation.RULES, *schedules.RULES,
    *rows.RULES, *metrics.RULES, *ranks.RULES, *devices.RULES, *saving.RULES, *tracking.RULES,
)  # fmt: skip
# What the first of two mistakes explains, so that the second is no news.
EXPLAINS = {
    "wrong-unpacking": {
        "scheduler-never-stepped",
        "gradients-left-over",
        "no-backward",
        "unprepared-scheduler",
        "schedule-length",
    },
    "evaluated-on-main-only": {"local-metric"},
    "different-shapes": {"rows-counted-twice"},
    "called-before-launch": {"accelerator-outside"},
}


def inspect_file(path: Path) -> Reading:
    """Read a script or notebook. Raises UnreadableError, its reason in one sentence, when it cannot be read."""
    return inspect_source(read(path))


def inspect_source(source: Source) -> Reading:
    """The same for a script that is already parsed."""
    try:
        trace = trace_script(source.tree)
    except RecursionError:
        raise UnreadableError(f"{source.file} is nested too deeply to be followed.") from None
    uses = _uses(trace)
    plain = uses == "plain"
    rules = _ACCELERATE if uses == "accelerate" else (*changes.RULES, *byhand.RULES) if plain else ()
    level = "change" if plain else "wrong"
    hits: dict[tuple[str, int], Hit] = {}
    for case in _cases(trace, uses):
        for rule in rules:
            for hit in rule(case):
                hits.setdefault((hit.kind, getattr(hit.node, "lineno", 0)), hit)
    for cause, effects in EXPLAINS.items():
        if any(it.kind == cause for it in hits.values()):
            hits = {key: it for key, it in hits.items() if it.kind not in effects}
    outside = {line for kind, line in hits if kind in ("accelerator-outside", "device-before-launch")}
    moves = ("manual-move", "hard-coded-device")
    hits = {key: it for key, it in hits.items() if not (key[0] in moves and key[1] in outside)}
    ordered = sorted(hits.values(), key=lambda it: getattr(it.node, "lineno", 0))
    found = tuple(Found(level, it.kind, source.place(it.node), it.saw, it.next) for it in ordered)
    whole = Case(trace, None if plain else frozenset(trace.touched))
    return Reading(source.file, uses, found, tuple(_unsaid(source, whole, plain)))


def _cases(trace: Trace, uses: str) -> list[Case]:
    """Functions that are entered from outside are judged each for itself; those that a script's own lines call
    together with these lines."""
    if uses != "accelerate":
        return [Case(trace)]
    if None in trace.touched:
        return [Case(trace, frozenset(trace.touched))]
    return [Case(trace, frozenset({root})) for root in trace.touched]


def _uses(trace: Trace) -> str:
    if trace.touched:
        return "accelerate"
    if trace.of("backward") and trace.of("step"):
        return "plain"
    return "trainer" if trace.of("trainer") else "nothing"


def _unsaid(source: Source, case: Case, plain: bool) -> Iterator[Unsaid]:
    for question, kind, events in questions(case, plain):
        lines = dict.fromkeys(source.place(it.node) for it in events)
        yield Unsaid(question, kind, tuple(sorted(lines, key=lambda it: (it.cell or 0, it.line))))
