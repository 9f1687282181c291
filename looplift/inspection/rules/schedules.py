"""The schedule of the learning rate: how its steps were counted, and how it is moved."""

from __future__ import annotations

from collections.abc import Iterator

from looplift.inspection.case import Case, Hit, conditional, known, name_of
from looplift.inspection.data import Length
from looplift.inspection.thing import Thing
from looplift.inspection.trace import Event

COUNT = "count len(train_loader) before prepare, and prepare the scheduler with the rest"


def _moves(case: Case, scheduler: Thing) -> list[Event]:
    return [it for it in case.of("schedule") if isinstance(it.of, Thing) and it.of.root is scheduler.root]


def _in_batches(case: Case, move: Event) -> bool:
    return any(node in case.training_loops for node in move.loops)


def _processes_round(move: Event) -> bool:
    """Whether it stands in `for _ in range(num_processes)`."""
    return any(it.which == "processes" for it in move.within("loop"))


def lengths(case: Case) -> Iterator[Hit]:
    """The length that a schedule was made for, against how it is moved."""
    split = case.setting("split_batches")
    for event in case.of("scheduler"):
        scheduler = event.thing
        length = scheduler.facts.get("length")
        moves = [it for it in _moves(case, scheduler) if _in_batches(case, it) and it.sure]
        if not isinstance(length, Length) or not moves or not event.sure or not _trained(case, length):
            continue
        if split not in (None, False):
            continue  # then the length is the same before and after
        if length.rows and not length.mixed:
            yield Hit(
                "schedule-length",
                event.node,
                "the schedule is made for as many steps as there are rows, not batches",
                COUNT,
            )
        elif not length.rows and not length.mixed:
            yield from _against(case, event, scheduler, length, moves)


def _trained(case: Case, length: Length) -> bool:
    """Whether what was counted is a loader: it is gone through, or was made together with one that is."""
    counted = length.loader.root
    gone = [it.of.root for it in case.of("iterate") if isinstance(it.of, Thing)]
    return any(
        it is counted or (counted.part_of is not None and it.part_of is counted.part_of) for it in gone
    )


def _against(case: Case, event: Event, scheduler: Thing, length: Length, moves: list[Event]) -> Iterator[Hit]:
    trained = [it.root for it in case.trained_loaders]
    if trained and length.loader.root not in trained:
        name = name_of(length.loader, "another loader")
        yield Hit(
            "schedule-length",
            event.node,
            f"the schedule is as long as {name}, which is not trained from",
            COUNT,
        )
        return
    if not known(length.loader) or not all(it.wrap == "prepared" for it in case.trained_loaders):
        return
    through = [it for it in moves if it.thing.wrap == "prepared"]
    follows = case.setting("follows") is not False
    each = bool(through) and follows  # a prepared scheduler moves once for each process
    # 0: as long as the loader of one process; -1: as the prepared one
    counted = length.processes - (1 if length.loader.wrap == "prepared" else 0)
    if counted == 1:
        yield Hit(
            "schedule-multiplied",
            event.node,
            "the length of the schedule is multiplied by the number of "
            "processes: it is not over when training ends",
            COUNT,
        )
    elif each and counted == -1 and length.loader.wrap == "prepared":
        yield Hit(
            "schedule-counted-after-prepare",
            event.node,
            "the steps are counted from the prepared loader, and a "
            "prepared scheduler moves once for each process: it is over too early",
            COUNT,
        )
    elif each and counted == -1:
        yield Hit(
            "schedule-length",
            event.node,
            "the steps are divided by the number of processes, and a prepared "
            "scheduler moves once for each process: it is over too early",
            COUNT,
        )
    elif not each and counted == 0:
        yield from _slow(scheduler, moves, bool(through))


def _slow(scheduler: Thing, moves: list[Event], through: bool) -> Iterator[Hit]:
    """Moves once at each step along a length for one process."""
    if any(_processes_round(it) for it in moves) or len({id(it.node) for it in moves}) > 1:
        return
    node = moves[0].node
    if through:
        yield Hit(
            "scheduler-not-multiplied",
            node,
            "with step_scheduler_with_optimizer=False the scheduler moves once "
            "at each step, but its length was counted for one process",
            "count the steps after prepare",
        )
    elif scheduler.facts.get("prepared at") is not None:
        yield Hit(
            "prepared-scheduler-unused",
            node,
            "the scheduler was prepared, but this steps the one that went in",
            "step the scheduler that prepare gave back",
        )
    elif known(scheduler):
        yield Hit(
            "unprepared-scheduler",
            node,
            "the scheduler was not prepared, but its length was counted for one "
            "process: it is not over when training ends",
            "pass the scheduler to prepare with the rest",
        )


def moved(case: Case) -> Iterator[Hit]:
    """Where and how often a schedule is moved."""
    for event in case.of("scheduler"):
        scheduler = event.thing
        moves = _moves(case, scheduler)
        if not event.sure or scheduler.root.given:
            continue
        if not moves:
            stepped = [it for it in case.of("step") if it.loop is not None and it.root is event.root]
            loose = scheduler.facts.get("escaped") or any(conditional(event))
            if stepped and case.backwards and not loose:
                yield Hit(
                    "scheduler-never-stepped",
                    event.node,
                    "the scheduler is never stepped: the learning rate stays where it began",
                    "call scheduler.step() after each optimizer.step()",
                )
            continue
        yield from _per_epoch(case, scheduler, moves)
        yield from _too_often(case, scheduler, moves)
        yield from _too_early(case, moves)


def _per_epoch(case: Case, scheduler: Thing, moves: list[Event]) -> Iterator[Hit]:
    """Stepped outside the loop over batches."""
    for move in moves:
        if _in_batches(case, move) or move.loop is None or move.loop.node not in case.loops_with_backward:
            continue
        if scheduler.facts.get("length") is not None:
            yield Hit(
                "scheduler-per-epoch",
                move.node,
                "the schedule is counted in batches, and this steps it once an epoch",
                "move scheduler.step() into the loop over batches",
            )
        elif move.thing.wrap == "prepared" and case.setting("follows") is not False:
            yield Hit(
                "per-epoch-scheduler-prepared",
                move.node,
                "a prepared scheduler moves once for each process, so every epoch counts several times",
                "leave a scheduler that counts epochs out of prepare",
            )


def _too_often(case: Case, scheduler: Thing, moves: list[Event]) -> Iterator[Hit]:
    """Prepared, and multiplied by hand once more."""
    through = [it for it in moves if it.thing.wrap == "prepared" and it.sure and not any(conditional(it))]
    through = [it for it in through if _in_batches(case, it)]
    if case.setting("split_batches") not in (None, False) or case.setting("follows") is False:
        return
    by_hand = next((it for it in through if _processes_round(it)), None)
    again = [it for it in through if it.inside == through[0].inside and it.node is not through[0].node]
    if by_hand or again:
        yield Hit(
            "scheduler-stepped-too-often",
            (by_hand or again[0]).node,
            "a prepared scheduler moves once for each process by itself, and here it is stepped once more",
            "call scheduler.step() once a batch",
        )


def _too_early(case: Case, moves: list[Event]) -> Iterator[Hit]:
    """scheduler.step() before optimizer.step()."""
    for move in moves:
        optimizer = move.thing.facts.get("optimizer")
        after = [
            it for it in case.of("step")
            if it.inside == move.inside and it.at > move.at and isinstance(it.of, Thing)
            and optimizer is not None and it.of.root is optimizer.root
        ]  # fmt: skip
        if after and not any(conditional(move)) and move.loop is not None:
            yield Hit(
                "scheduler-before-optimizer",
                move.node,
                "the scheduler steps before the optimizer: the first learning rate is skipped",
                "step the optimizer first",
            )


def other_optimizers(case: Case) -> Iterator[Hit]:
    """A scheduler that moves the learning rate of an optimizer which never steps."""
    steps = [it for it in case.of("step") if isinstance(it.of, Thing)]
    for event in case.of("scheduler"):
        stepped = {id(it.thing.root) for it in steps if it.root is event.root}
        optimizer = event.thing.facts.get("optimizer")
        if (
            not isinstance(optimizer, Thing)
            or not known(optimizer)
            or not _moves(case, event.thing)
            or not stepped
        ):
            continue
        if id(optimizer.root) not in stepped and not optimizer.facts.get("escaped") and event.sure:
            yield Hit(
                "scheduler-of-another-optimizer",
                event.node,
                "the scheduler moves the learning rate of an optimizer that never steps",
                "make the optimizer once, and the scheduler from it",
            )


RULES = (lengths, moved, other_optimizers)
