"""The log as a file: one process writes it, with the hyperparameters in it, and closes it."""

from __future__ import annotations

from typing import Any

from looplift.checks.accelerators import solo
from looplift.checks.endings import complete
from looplift.checks.lines import definition
from looplift.checks.logbook import Logbook, close
from looplift.checks.points import Mend, on_one_process
from looplift.checks.reference import plain_run
from looplift.evidence import Evidence, Run
from looplift.verdict import Finding

_FOLDER = "an event file of TensorBoard below LOG_FOLDER, written by one process"


def nothing_logged(log: Logbook) -> Finding:
    """Why there is no number in the log, as well as the calls of the accelerator tell."""
    run, begun, called = log.run, log.calls("init_trackers"), log.calls("log")
    if begun and not begun[0]["asked"]:
        return Finding(
            "no-tracker", "init_trackers has nothing to start: the Accelerator was made without log_with", _FOLDER,
            "accelerator.log writes nothing, and says nothing", run.place(begun[0]["where"]),
            'make it with Accelerator(log_with="tensorboard", project_dir=LOG_FOLDER)')  # fmt: skip
    if called and not begun:
        return Finding(
            "trackers-not-started", "accelerator.log is called, but init_trackers never was", _FOLDER,
            "there is no tracker yet that could write, and nothing says so", run.place(called[0]["where"]),
            "call accelerator.init_trackers(name, config) once, before the loop over epochs")  # fmt: skip
    if called and all(not it["started"] for it in called):
        return Finding(
            "trackers-not-started", "accelerator.log is called only before init_trackers", _FOLDER,
            "there was no tracker yet that could have written, and nothing said so", run.place(called[0]["where"]),
            "call accelerator.init_trackers(name, config) before the first log")  # fmt: skip
    found = no_number(log)
    if found:
        return found
    return Finding(
        "nothing-logged", "no number was written into a log of TensorBoard", _FOLDER, "nobody sees how the training "
        "went", definition(run.submission, run.plan.function), "begin a log with accelerator.init_trackers, and "
        "write the loss of each step with accelerator.log")  # fmt: skip


def no_number(log: Logbook) -> Finding | None:
    """The finding when accelerator.log is given something that is not one number."""
    called = log.calls("log")
    many = next((it for it in called if any(count != 1 for count in it["given"].values())), None)
    if many is None:
        return None
    count = max(many["given"].values())
    given = f"a tensor of {count} numbers" if count else "what is no number"
    return Finding(
        "not-one-number", f"accelerator.log is given {given}", "one number for each step",
        "TensorBoard's tracker leaves it out without a word", log.run.place(many["where"]),
        "log the mean over the processes: accelerator.gather(loss).mean()")  # fmt: skip


def _by_whom(log: Logbook) -> Finding | None:
    """The finding when no process writes a log, or more than one does, or into another folder."""
    run = log.run
    if not log.opened:
        return nothing_logged(log)
    if len(log.ranks) > 1:
        other = next(it for it in log.opened if it["rank"] == log.ranks[1])
        return Finding(
            "log-on-every-rank", f"{' and '.join(f'rank {it}' for it in log.ranks)} each open a log", _FOLDER,
            "each loss is there several times, once for each process, and the curve is a zigzag",
            run.place(other["where"]), "let accelerator.init_trackers open it, or open it only under "
            "`if accelerator.is_main_process:`")  # fmt: skip
    away = next((it for it in log.opened if not it["inside"]), None)
    if away is not None:
        return Finding(
            "log-elsewhere", f"the log is written into {away['folder']!r}, which is not below LOG_FOLDER", _FOLDER,
            "whoever looks into LOG_FOLDER finds nothing of it", run.place(away["where"]),
            "pass project_dir=LOG_FOLDER to Accelerator")  # fmt: skip
    return None


def _stored(value: Any, log: Logbook) -> bool:
    """Whether a hyperparameter's value is in the log, as such or in a text."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        numbers = [it for it in log.hyperparameters if isinstance(it, (int, float))]
        if any(close(float(it), float(value)) for it in numbers):
            return True
    texts = [log.texts, *(it for it in log.hyperparameters if isinstance(it, str))]
    return any(word in text for text in texts for word in {str(value), f"{value:g}"})


def _hyperparameters(log: Logbook, plain: Run) -> Finding | None:
    """The finding when the plain loop stores a hyperparameter that this log has not."""
    run = log.run
    wanted = {name: it for event in plain.of("hyperparameters") for name, it in event["values"].items()}
    missing = []
    for name, value in wanted.items():
        # A batch may be counted as that of all processes together.
        values = [value, value * run.plan.processes] if "batch" in name else [value]
        if not any(_stored(it, log) for it in values):
            missing.append(name)
    if not missing:
        return None
    begun = log.calls("init_trackers")
    event = begun[0] if begun else log.opened[0]
    none = not log.hyperparameters and not log.texts
    return Finding(
        "no-hyperparameters",
        "no hyperparameters are stored in the log"
        if none
        else f"hyperparameters are missing in the log, or have other values: {', '.join(missing)}",
        expected=", ".join(f"{name} {value:g}" for name, value in wanted.items()),
        so="nobody can tell later what the curve belongs to",
        where=run.place(event["where"]),
        next='pass them to init_trackers: accelerator.init_trackers("name", {"batch_size": batch_size, ...})',
    )


def _left_open(log: Logbook) -> Finding | None:
    """The finding when a writer was not closed after its last value."""
    run, still = log.run, log.left_open()
    if not still:
        return None
    lost = sum(log.unwritten(it["writer"]) for it in still)
    early = log.calls("end_training")
    values = "value is" if lost == 1 else "values are"
    return Finding(
        "log-not-closed",
        "the log is closed before its last value is written" if early else "the log is never closed",
        expected="the log closed once, after the last value",
        so=f"{lost} {values} still in memory when the process ends, and in no file"
        if lost
        else "TensorBoard's tracker happens to write at once; others lose what they hold, or call the run a crash",
        where=run.place((early or still)[0]["where"]),
        next="call accelerator.end_training() once, on every process, as the last line of the function",
    )


def one_log(run: Run, evidence: Evidence) -> None:
    """One process writes a log below LOG_FOLDER, stores the hyperparameters and closes it. Raises Mend otherwise."""
    with on_one_process(run.plan.processes):
        complete(run)
        found = solo(run) or _by_whom(Logbook(run))
        if found is None:
            log = Logbook(run)
            found = _hyperparameters(log, plain_run(run, evidence)) or _left_open(log)
        if found:
            raise Mend(found)
