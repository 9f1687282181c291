"""What a machine's facts mean for the course: one line each, `ok`, `mend` or `note`, and what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from looplift.doctor.facts import Facts, Package

Word = Literal["ok", "mend", "note"]
OLDEST_PYTHON = (3, 10)  # pyproject.toml, requires-python
ENOUGH_MEMORY = 3 * 2**30  # measured: a judged run on two processes stays below it
ENOUGH_SCRATCH = 200 * 2**20  # a run's evidence, and what pip and Jupyter leave
LEFT_BY_A_LAUNCHER = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_GIB = 2**30
_NARROW = 60  # columns: below this further lines start further left
_ABOUT = 12  # columns: the longest name of a package that looplift asks for


@dataclass(frozen=True)
class Line:
    """word: `mend` when something will not work, `note` when it is good to know. do: what to do, or ""."""

    word: Word
    about: str
    text: str
    do: str = ""

    def __str__(self) -> str:
        return f"{self.word:<4}  {self.about:<{_ABOUT}}  {self.said}"

    @property
    def said(self) -> str:
        return f"{self.text}: {self.do}" if self.do else self.text


def lines(facts: Facts) -> list[Line]:
    """Everything there is to say about a machine, in a fixed order."""
    return [
        Line("ok", "looplift", facts.looplift),
        Line("ok", "system", facts.system),
        _python(facts),
        *_torch(facts),
        *_packages(facts),
        _cores(facts),
        _memory(facts),
        _fork(facts),
        _port(facts),
        *_jupyter(facts),
        *_environment(facts),
        *_hosted(facts),
        _sandbox(facts),
        _folder(facts),
        _scratch(facts),
        *_launched(facts),
    ]


def mended(said: Sequence[Line]) -> bool:
    """True when there is nothing to mend."""
    return not any(line.word == "mend" for line in said)


def report(said: Sequence[Line], width: int | None = None) -> str:
    """The lines, and a last one that counts what is to mend. width: wrap them there; None leaves each on one line."""
    wrong = sum(line.word == "mend" for line in said)
    last = f"{wrong} thing{'' if wrong == 1 else 's'} to mend." if wrong else "Nothing to mend."
    return "\n".join([*(str(line) if width is None else _wrapped(line, width) for line in said), last])


def _wrapped(line: Line, width: int) -> str:
    """The line in as many as it takes; further ones begin below its text, or further left where there is no room."""
    indent = " " * (4 + 2 + _ABOUT + 2 if width >= _NARROW else 6)
    return textwrap.fill(str(line), max(width, 24), subsequent_indent=indent, break_on_hyphens=False)


def _python(facts: Facts) -> Line:
    text = f"{'.'.join(map(str, facts.python))}, {facts.program}"
    if facts.python[:2] < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        return Line("mend", "python", text, f"make a virtual environment with Python {wanted} or newer")
    return Line("ok", "python", text)


def _torch(facts: Facts) -> Iterator[Line]:
    if not facts.torch:
        why = facts.torch_trouble or "not installed"
        yield Line("mend", "torch", f"cannot be imported ({why})", "pip install --force-reinstall torch")
        return
    build = f"built for CUDA {facts.cuda}" if facts.cuda else "built for the CPU"
    gpus = f"{facts.gpus} GPU{'' if facts.gpus == 1 else 's'}"
    yield Line("ok", "torch", f"{facts.torch}, {build}, {gpus}")
    if facts.cuda and facts.gpus == 0:
        yield Line("note", "gpu", "none is seen; exercises train on the CPU, which is enough")
    elif facts.gpus == 1:
        yield Line("note", "gpu", "one is not enough for two processes; exercises train on the CPU")
    elif facts.gpus > 1:
        yield Line("note", "gpu", "exercises use two of them; checks always run on the CPU")


def _packages(facts: Facts) -> Iterator[Line]:
    if not facts.packages:
        text = "looplift runs from a folder, so the versions that it asks for are not known"
        yield Line("note", "packages", text, "in a clone, pip install -e . tells them")
    for it in facts.packages:
        yield _package(it)


def _package(it: Package) -> Line:
    asked = f"{it.name}{it.wanted}"
    if not it.version:
        return Line("mend", it.name, f"{asked} is not installed", f"pip install '{asked}'")
    if not it.fits:
        return Line("mend", it.name, f"{it.version} is not {it.wanted}", f"pip install '{asked}'")
    return Line("ok", it.name, f"{it.version}{f' ({it.wanted})' if it.wanted else ''}")


def _cores(facts: Facts) -> Line:
    if facts.cores < 2:
        return Line("note", "cores", "1; two processes share it, so checks take about twice as long")
    return Line("ok", "cores", str(facts.cores))


def _memory(facts: Facts) -> Line:
    if not facts.memory:
        return Line("note", "memory", "how much there is cannot be seen", "3 GiB are enough")
    text = f"{facts.memory / _GIB:.1f} GiB"
    if facts.memory < ENOUGH_MEMORY:
        return Line("mend", "memory", text, "give this machine or container at least 3 GiB")
    return Line("ok", "memory", text)


def _fork(facts: Facts) -> Line:
    if facts.fork:
        return Line("ok", "fork", "processes can be forked")
    text = "this system has none, and training is launched by it"
    return Line("mend", "fork", text, "use Linux, macOS, or WSL on Windows")


def _port(facts: Facts) -> Line:
    port = facts.port
    if port.free:
        return Line("ok", "port", f"{port.number} is free")
    text = f"{port.number} is taken" + (f" by {port.holder}" if port.holder else "")
    do = 'end that launch, or write notebook_launcher(..., use_port="29511"); checks take another port anyway'
    return Line("mend", "port", text, do)


def _jupyter(facts: Facts) -> Iterator[Line]:
    again = "python -m ipykernel install --sys-prefix --name python3"
    if not facts.kernel:
        yield Line("mend", "kernel", "there is no notebook kernel python3", again)
    elif not facts.kernel_is_ours:
        yield Line("mend", "kernel", f"python3 starts {facts.kernel}, not this Python", again)
    else:
        yield Line("ok", "kernel", "python3 starts this Python")
    if not facts.jupyter:
        yield Line(
            "note",
            "jupyter",
            "your shell finds none",
            "activate this environment, or open notebooks elsewhere",
        )
    elif not facts.jupyter_is_ours:
        text = f"your shell finds {facts.jupyter}, of another Python"
        yield Line("mend", "jupyter", text, f"start it as {facts.program} -m jupyter lab")
    else:
        yield Line("ok", "jupyter", facts.jupyter)


def _environment(facts: Facts) -> Iterator[Line]:
    left = [name for name in LEFT_BY_A_LAUNCHER if name in facts.environment]
    if left:
        text = f"{', '.join(left)} {'is' if len(left) == 1 else 'are'} set, as if a launch were running"
        yield Line("mend", "environment", text, f"unset {' '.join(left)}")
    here = [
        f"{name}={facts.environment.get(name, 'unset')}" for name in ("ACCELERATE_USE_CPU", "OMP_NUM_THREADS")
    ]
    sets = "OMP_NUM_THREADS=1" if facts.gpus > 1 else "both: OMP_NUM_THREADS=1, ACCELERATE_USE_CPU=yes"
    yield Line("ok", "cpu flag", f"{', '.join(here)}; an exercise's first cell sets {sets}")


def _hosted(facts: Facts) -> Iterator[Line]:
    if facts.hosted == "Colab" and facts.gpus < 2:
        text = (
            "in Colab without two GPUs notebook_launcher calls the function once, whatever num_processes says"
        )
        yield Line("note", "Colab", text, "launch with accelerate.debug_launcher there")
    elif facts.hosted:
        yield Line(
            "note",
            facts.hosted,
            "installed packages are gone with the session",
            "run the first cell each time",
        )


def _sandbox(facts: Facts) -> Line:
    if facts.sandbox:
        return Line("ok", "sandbox", f"{facts.sandbox} keeps it from everything else")
    text = "runs cannot be enclosed here"
    return Line("note", "sandbox", text, "judge strangers' code in a container; your own needs none")


def _folder(facts: Facts) -> Line:
    if facts.folder_trouble:
        do = "go to a folder of your own, or change its permissions"
        return Line("mend", "folder", f"cannot write in {facts.folder} ({facts.folder_trouble})", do)
    return Line("ok", "folder", f"{facts.folder} can be written to")


def _scratch(facts: Facts) -> Line:
    do = "set TMPDIR to a folder with room"
    if facts.scratch_trouble:
        return Line("mend", "scratch", f"cannot write in {facts.scratch} ({facts.scratch_trouble})", do)
    text = f"{facts.scratch} has {facts.scratch_free / _GIB:.1f} GiB free"
    return (
        Line("ok", "scratch", text)
        if facts.scratch_free >= ENOUGH_SCRATCH
        else Line("mend", "scratch", text, do)
    )


def _launched(facts: Facts) -> Iterator[Line]:
    it = facts.launched
    if it is None:
        yield Line("note", "launch", "not tried", "looplift doctor --launch")
        return
    seen = ", ".join(f"rank {rank} of {world}" for rank, world in it.ranks) or "no rank answered"
    if it.trouble:
        yield Line("mend", "launch", f"{seen}; {it.trouble}", "report it with these lines")
    elif sorted(it.ranks) != [(rank, it.processes) for rank in range(it.processes)]:
        do = "set ACCELERATE_USE_CPU=yes before torch is imported"
        yield Line("mend", "launch", f"{seen}: the processes did not find each other", do)
    else:
        yield Line("ok", "launch", f"{it.processes} processes on {it.device}: {seen}")
