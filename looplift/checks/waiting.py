"""Processes that wait for each other, for nothing, or receive what was sent for another call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from looplift.checks.forked import writer_of_the_parent
from looplift.checks.lines import early_exits, in_branch_of_a_rank, in_turns, while_around
from looplift.evidence import Run
from looplift.verdict import Finding, Place

COLLECTIVES = {
    "gather": "gather",
    "gather_for_metrics": "gather_for_metrics",
    "wait_for_everyone": "wait_for_everyone",
    "barrier": "a barrier",
    "reduce": "reduce",
    "all_reduce": "an all-reduce",
    "broadcast": "a broadcast",
    "backward": "backward, which averages the gradients",
    "prepare": "prepare",
    "prepare_model": "prepare",
    "synchronize_rng_states": "the start of a prepared loader",
    "forward": "the forward pass of a prepared model",
}
Frames = Sequence[tuple[str, int, str]]  # (file, line, function), the innermost first

_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.*)$', re.MULTILINE)


@dataclass(frozen=True)
class Stand:
    """Where a rank stood when it was stopped.

    places: the student's lines that it was in, the innermost first. call: the collective call that it was in, or "".
    """

    rank: int
    places: tuple[Place, ...] = ()
    call: str = ""
    left: bool = False

    @property
    def place(self) -> Place | None:
        """The innermost line."""
        return self.places[0] if self.places else None

    @property
    def busy(self) -> bool:
        return not self.left and not self.call

    def __str__(self) -> str:
        doing = (
            "has already left training_loop"
            if self.left
            else f"waits in {self.call}"
            if self.call
            else "is busy"
        )
        return f"rank {self.rank} {doing}" + at(self.place)


def at(place: Place | None) -> str:
    """` at cell 7, line 14`, or nothing."""
    cell = f"cell {place.cell}, " if place and place.cell is not None else ""
    return f" at {cell}line {place.line}" if place else ""


def _stand_of(run: Run, rank: int, frames: Frames) -> Stand:
    places = [run.submission.place(file, line) for file, line, _ in frames]
    own = next((index for index, it in enumerate(places) if it), len(frames))
    # The outermost name below the student's line is what that line calls; what that waits in is a detail.
    called = [COLLECTIVES[name] for _, _, name in reversed(frames[:own]) if name in COLLECTIVES]
    return Stand(rank, tuple(it for it in places if it), called[0] if called else "")


def _stand(run: Run, rank: int) -> Stand:
    if run.first("returned", rank) is not None:
        return Stand(rank, left=True)
    return _stand_of(run, rank, run.outcome.stacks.get(rank, []))


def _cause(run: Run, stands: list[Stand]) -> tuple[Place | None, str]:
    """The line at which the ranks part, as well as the text tells, and what to do about it."""
    every = [place for it in stands for place in it.places]
    of_a_rank = next((it for it in every if in_branch_of_a_rank(run.submission, it)), None)
    if of_a_rank:
        return of_a_rank, (
            "take this call out of the `if` that only some ranks enter; keep there only what needs no other rank"
        )
    turn = next((it for it in every if in_turns(run.submission, it)), None)
    if turn:
        return turn, (
            "take this call out of the block of main_process_first: in it one process goes after the other, and this "
            "call needs all of them at once"
        )
    exits = early_exits(run.submission)
    first = next((it.place for it in stands if it.place), None)
    if exits or any(it.left for it in stands):
        return exits[0] if len(exits) == 1 else first, (
            "let every rank take the same number of batches: stop or skip on a value that all ranks share "
            "(accelerator.reduce, accelerator.gather), not on this rank's own"
        )
    return (
        first,
        "let every rank make the same calls: move what waits for the others out of any `if` or early exit",
    )


def _deadlock(run: Run, stands: list[Stand]) -> Finding:
    stood = ", ".join(map(str, stands))
    where, following = _cause(run, stands)
    return Finding(
        "deadlock",
        f"the processes wait for each other: {stood}",
        expected="every rank to reach the same collective calls, in the same order",
        so="training never ends",
        where=where,
        next=following,
        data={"stood": stood},
    )


def stuck(run: Run) -> Finding | None:
    """The finding when ranks wait for each other or one never ends."""
    if run.outcome.how not in ("hung", "endless"):
        return None
    stands = [_stand(run, rank) for rank in run.ranks]
    full = writer_of_the_parent(run)
    if full is not None:
        return full
    if run.outcome.how == "hung":
        return _deadlock(run, stands)
    places = [it.place for it in sorted(stands, key=lambda it: not it.busy) if it.place]
    place = places[0] if places else None
    loop = while_around(run.submission, place) if place else None
    stood = ", ".join(map(str, stands))
    return Finding(
        "endless",
        f"training_loop did not come to an end: {stood}",
        expected=f"{run.plan.sizes.epochs} epochs of a few batches, a second or two",
        so="it was stopped",
        where=loop or place,
        next="let the condition of this `while` become false, or leave it with a break that every rank reaches"
        if loop
        else "look for a loop without an end or a wait for something that never comes",
        data={"stood": stood},
    )


def out_of_step(run: Run) -> Finding | None:
    """The finding when a rank received data for another call: gloo aborts it in C++, and only its log tells."""
    log = run.folder / "output.txt"
    text = log.read_text(errors="replace") if log.exists() else ""
    _, mismatch, trace = text.partition("distributed collective mismatch")
    if not mismatch:
        return None
    frames = [(it["file"], int(it["line"]), it["name"]) for it in _FRAME.finditer(trace)]
    ended = {event["rank"] for event in run.of("done")}
    rank = next((it for it in run.ranks if it not in ended), 0)
    stand = _stand_of(run, rank, frames)
    where, following = _cause(run, [stand, *(_stand(run, it) for it in run.ranks if it in ended)])
    return Finding(
        "different-collectives",
        f"the processes are out of step: rank {rank} was in {stand.call or 'a collective call'}{at(stand.place)}, and "
        "received what another rank had sent for another call",
        expected="every rank to reach the same collective calls, in the same order",
        so="PyTorch ends the process, and training with it",
        where=where,
        next=following,
    )
