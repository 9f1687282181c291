"""What stands in the place of `notebook_launcher` while a submission's cells are run.

It notes every call. Where the run is about the submission's own launch, the first call that is about the lesson's
function is really made, at the student's line and with the student's arguments; only the port is ours, since a taken
port is nobody's mistake.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from looplift.evidence.recorder import Recorder
from looplift.evidence.runner import free_port
from looplift.evidence.stage import describe
from looplift.hidden.plan import Plan
from looplift.submission import Cell

MOST_PROCESSES = 4  # that are really started; a launch of more is noted
# Several machines are lesson 10's: a launcher that is told of them waits for the others for minutes.
_NOT_PASSED_ON = {
    "use_port",
    "num_nodes",
    "node_rank",
    "master_addr",
    "rdzv_backend",
    "rdzv_endpoint",
    "rdzv_id",
}

Wrap = Callable[[Callable[..., Any]], Callable[..., None]]


def first_failed(error: BaseException) -> int | None:
    """The rank that elastic saw fail first; for one that vanished without an exception this is the cause."""
    failures = getattr(error, "failures", None)
    if not isinstance(failures, dict) or not failures:
        return None
    return int(min(failures, key=lambda rank: failures[rank].timestamp))


class Launcher:
    """The stand-in. real: Accelerate's own. made: whether the submission's own launch was really made."""

    def __init__(self, recorder: Recorder, plan: Plan) -> None:
        import accelerate
        from accelerate import launchers

        self.real: Callable[..., Any] = launchers.notebook_launcher
        self.made = False
        self._recorder, self._plan = recorder, plan
        self._wrap: Wrap | None = None
        self._last: tuple[Any, Any, Any, dict[str, Any]] | None = None

        def notebook_launcher(function: Any = None, args: Any = (), num_processes: Any = None, *more: Any,
                              **kwargs: Any) -> None:  # fmt: skip
            self._called(function, args, num_processes, {**dict(zip(_MORE, more, strict=False)), **kwargs})

        self.ours = notebook_launcher
        accelerate.notebook_launcher = notebook_launcher  # type: ignore[assignment]
        launchers.notebook_launcher = notebook_launcher  # type: ignore[assignment]

    def make_own(self, wrap: Wrap) -> None:
        """From now on, really make the submission's own launch. wrap: puts the recorder around its function."""
        self._wrap = wrap

    def make_last(self) -> None:
        """Make the last launch that was noted, when none was about the lesson's function: it is what there is."""
        if self._wrap is not None and not self.made and self._last is not None:
            try:
                self._make(*self._last)
            except BaseException as error:  # noqa: BLE001 - noted where it was raised
                self._recorder.note("load error", **describe(error, self._recorder))

    def replace_in(self, namespace: dict[str, Any]) -> None:
        """Put the stand-in under every name that a running notebook has for the launcher."""
        for name in [name for name, it in namespace.items() if it is self.real]:
            namespace[name] = self.ours

    def _called(self, function: Any, args: Any, processes: Any, more: dict[str, Any]) -> None:
        recorder = self._recorder
        mine = self._wrap is not None and recorder.rank is None and not self.made
        mine = mine and (not callable(function) or mentions(function, self._plan.function))
        recorder.note(
            "launch",
            where=recorder.where(),
            callable=callable(function),
            args=repr(args)[:200],
            args_type=type(args).__name__,
            processes=processes if isinstance(processes, int) else None,
            kwargs=sorted(str(it) for it in more),
            mine=mine,
        )
        if recorder.rank is None:
            self._last = (function, args, processes, more)
        if mine:
            self._make(function, args, processes, more)

    def _make(self, function: Any, args: Any, processes: Any, more: dict[str, Any]) -> None:
        """Launch, as the student's line says. What it raises is noted, and goes on to that line."""
        self.made = True
        recorder, wrap = self._recorder, self._wrap
        if wrap is None or (isinstance(processes, int) and processes > MOST_PROCESSES):
            return
        given = {name: it for name, it in more.items() if name not in _NOT_PASSED_ON}
        target = wrap(function) if callable(function) else function
        recorder.phase = "launch"
        try:
            for attempt in range(3):
                try:
                    self.real(target, args, num_processes=processes, use_port=str(free_port()), **given)
                    break
                except Exception as error:
                    if attempt == 2 or "EADDRINUSE" not in str(error):
                        raise
        except BaseException as error:
            recorder.note("launch error", first=first_failed(error), **describe(error, recorder))
            raise
        finally:
            recorder.rank, recorder.phase = None, "load"


_MORE = (
    "mixed_precision",
    "use_port",
    "master_addr",
    "node_rank",
    "num_nodes",
)  # after num_processes, in order


def mentions(function: Any, name: str) -> bool:
    """Whether a function is that of this name, or one made of it: partial, method, lambda or wrapper that calls it."""
    for it in (function, getattr(function, "func", None), getattr(function, "__func__", None)):
        if getattr(it, "__name__", None) == name:
            return True
        code = getattr(it, "__code__", None)
        if isinstance(code, CodeType) and any(
            name in each.co_names + each.co_freevars for each in codes(code)
        ):
            return True
    return False


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def launching_cell(cells: tuple[Cell, ...], launcher: Launcher, namespace: dict[str, Any]) -> Cell | None:
    """The newest cell of a running notebook that launches when it is run: by the launcher's name, or through a
    function that calls it."""

    def launches(call: ast.Call) -> bool:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        value = namespace.get(name)
        code = getattr(value, "__code__", None)
        through = isinstance(code, CodeType) and any("notebook_launcher" in it.co_names for it in codes(code))
        return name == "notebook_launcher" or value in (launcher.real, launcher.ours) or through

    for cell in reversed(cells):
        for statement in cell.tree.body if cell.tree else []:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if any(isinstance(node, ast.Call) and launches(node) for node in ast.walk(statement)):
                return cell
    return None
