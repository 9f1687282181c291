"""Progress of a long command: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from looplift.classroom.event import Event
from looplift.verdict.text import visible

WORDS = {"judge": "judging", "record": "recording", "feedback": "feedback pages"}
OUTCOMES = {"passed": "passed", "mend": "something to mend", "flagged": "for a person to look at"}


class _Bars(Progress):
    """Bars, and below them lines that say what they do not."""

    below: tuple[str, ...] = ()

    def get_renderables(self) -> Iterable[RenderableType]:
        yield self.make_tasks_table(self.tasks)
        for line in self.below:
            yield Text(line, no_wrap=True, overflow="ellipsis")


class Shown:
    """Shows events. Use it as a context manager and call it with each event."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tasks: dict[str, TaskID] = {}
        self._done: Counter[str] = Counter()  # by stage
        self._known: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()
        self._running: dict[tuple[str, str], str] = {}
        self._bars = _Bars(
            TextColumn("{task.description:<15}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Shown:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.below = tuple(it for it in (self._counts(),) if it)
        self._bars.stop()

    @property
    def kept(self) -> str:
        """What has been done so far and stays, in a sentence."""
        judged, recorded = self._done["judge"], self._done["record"]
        said = f"{judged} verdict{' is' if judged == 1 else 's are'} kept, "
        said += f"{recorded} submission{' is' if recorded == 1 else 's are'} recorded"
        return f"{said}; nothing that it started is left running."

    def say(self, sentence: str) -> None:
        """Say something that stays on the screen."""
        self._line(visible(sentence))

    def __call__(self, event: Event) -> None:
        who = (visible(event.student), visible(event.lesson))
        if event.stage == "run":
            self._running[who] = event.text
        else:
            self._running.pop(who, None)
            self._done[event.stage] += 1
            self._known[event.stage] += event.known
            self._outcomes[event.outcome] += 1
        if self._console.is_terminal:
            self._draw(event)
        elif event.stage != "run":
            self._tell(event, " ".join(who))

    def _tell(self, event: Event, who: str) -> None:
        """A plain line for what is new, and one at the end for all that was known."""
        name = WORDS.get(event.stage, event.stage)
        if not event.known:
            said = f": {event.text}" if event.text else ""
            self._line(f"{name} {event.done}/{event.total} {who}{said}")
        if event.done == event.total and self._known[event.stage]:
            self._line(f"{name} {event.done}/{event.total}: {self._known[event.stage]} as before")
        if event.done == event.total and event.stage == "judge":
            self._line(f"{name} {event.done}/{event.total}: {self._counts()}")

    def _draw(self, event: Event) -> None:
        if event.total:
            if event.stage not in self._tasks:
                name = WORDS.get(event.stage, event.stage)
                self._tasks[event.stage] = self._bars.add_task(name, total=event.total)
            self._bars.update(self._tasks[event.stage], completed=event.done, total=event.total)
        now = ", ".join(f"{' '.join(who)} ({what})" for who, what in self._running.items())
        self._bars.below = tuple(it for it in (self._counts(), f"now: {now}" if now else "") if it)

    def _counts(self) -> str:
        return ", ".join(
            f"{self._outcomes[it]} {words}" for it, words in OUTCOMES.items() if self._outcomes[it]
        )

    def _line(self, text: str) -> None:
        self._console.print(text, soft_wrap=True, highlight=False, markup=False)
