"""How late a submission is, and by which rule that costs points: what a recorded late penalty depends on."""

from __future__ import annotations

from typing import Any

from nbgrader.api import SubmittedAssignment
from traitlets.config import Config


def lateness(submission: SubmittedAssignment, config: Config) -> str:
    """Names all that nbgrader's late penalty for a submission depends on; "" when it is not late.

    An extension, another due date or another rule in nbgrader_config.py gives another name, so that a grade can be
    recorded again when its penalty may have changed.
    """
    late = _seconds_late(submission)
    return f"{late:g} s {_rule(config)}" if late > 0 else ""


def _seconds_late(submission: SubmittedAssignment) -> float:
    if submission.timestamp is None or submission.assignment.duedate is None:
        return 0.0
    return float(submission.total_seconds_late)


def _rule(config: Config) -> str:
    """What the configuration says about the penalty: nbgrader's step and the plugin that it names."""
    step: dict[str, Any] = dict(config.get("AssignLatePenalties", {}))
    plugin = step.get("plugin_class", "LateSubmissionPlugin")
    name = plugin.rpartition(".")[2] if isinstance(plugin, str) else getattr(plugin, "__name__", str(plugin))
    own = dict(config.get(name, {})) | dict(config.get("LateSubmissionPlugin", {}))
    return f"{name} {sorted((key, str(value)) for key, value in own.items())}"
