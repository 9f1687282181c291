"""A score that a loop prints after each epoch, read from its lines."""

from __future__ import annotations

import re

from looplift.checks.lines import definition
from looplift.checks.points import Mend
from looplift.evidence import Run
from looplift.verdict import Finding

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.(?P<places>\d+))?(?:[eE][-+]?\d+)?(?![\w.])|(?<![\w.])-?\d+\.\d+")


def _numbers(text: str) -> list[tuple[float, float]]:
    """The numbers of a line that may be a share, and how exactly each is written; those with a point when there are
    any. What is larger than one is taken for percent."""
    written = [it.group(0) for it in _NUMBER.finditer(text)]
    pointed = [it for it in written if "." in it]
    found = []
    for it in pointed or written:
        value, places = float(it), len(it.partition(".")[2])
        close = 0.5 * 10.0**-places + 1e-9
        found.append((value / 100, close / 100) if value > 1 else (value, close))
    return found


def printed_score(run: Run, name: str, truth: float) -> tuple[float, float]:
    """The score of the last epoch as rank 0 prints it, 0 to 1, and how exactly it is written.

    Of several numbers the one that is true, else the last. Raises Mend when nothing of the kind is printed.
    """
    lines = [it for it in run.of("print", 0, "loop") if it["stream"] == "stdout" and it["where"]]
    evaluated = [it["at"] for it in run.of("batch", 0) if it["part"] == "eval"]
    late = [it for it in lines if not evaluated or it["at"] > max(evaluated)] or lines[-1:]
    told = [number for it in late for number in _numbers(it["text"])]
    if not told:
        where = run.place(late[-1]["where"]) if late else definition(run.submission, run.plan.function)
        raise Mend(
            Finding(
                "no-metric",
                f"no {name} is printed" + (f": the last line says {late[-1]['text'][:60]!r}" if late else ""),
                expected=f"the {name} of each epoch, in percent, from the main process",
                so="nobody can see or check the result",
                where=where,
                next=f"print it after each epoch: accelerator.print(f'epoch {{epoch}}: {{100 * {name}:.2f}}')",
            )
        )
    return next((it for it in told if abs(it[0] - truth) <= it[1]), told[-1])
