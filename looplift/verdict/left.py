"""What a judging process leaves in its folder: a verdict, or why there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from looplift.fault import KitError
from looplift.verdict.verdict import Verdict

_VERDICT, _FAILED, _TRACE = "verdict.json", "failed.txt", "trace.txt"


def leave(folder: Path, verdict: Verdict) -> None:
    """Leave a verdict, whole or not at all."""
    verdict.write(folder / _VERDICT)


def leave_failure(folder: Path, error: BaseException, trace: str) -> None:
    """Leave why there is no verdict. trace: for those who work on the kit."""
    (folder / _TRACE).write_text(trace, encoding="utf-8", errors="replace")
    (folder / _FAILED).write_text(f"{type(error).__name__}: {error}", encoding="utf-8", errors="replace")


def has_left(folder: Path) -> bool:
    """False when the process was killed before it could leave anything."""
    return (folder / _VERDICT).exists() or (folder / _FAILED).exists()


def left(folder: Path) -> Verdict:
    """The verdict that was left. Raises KitError, its reason in one sentence, when there is none."""
    try:
        return Verdict.from_json((folder / _VERDICT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        if os.environ.get("LOOPLIFT_DEBUG") and (folder / _TRACE).exists():
            sys.stderr.write((folder / _TRACE).read_text(encoding="utf-8"))
        failed = folder / _FAILED
        why = failed.read_text(encoding="utf-8") if failed.exists() else ""
        raise KitError(why or "the judging process was killed; try again") from None
    except (OSError, ValueError) as error:
        raise KitError(f"the judging process left no verdict ({error})") from None
