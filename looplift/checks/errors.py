"""Exceptions, said in a sentence: what they mean here, where, what to do next."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from looplift.checks.ended import after_the_end
from looplift.checks.lines import definition
from looplift.evidence import Run
from looplift.verdict import Finding, Place


@dataclass(frozen=True)
class Known:
    """An error we can explain: how to recognise it, and the sentences. `{text}` stands for the error's own text.

    line: what the student's line must have in it. outside: it is raised at no line of the student's, as when the
    function cannot be called. at_prepare: the line to show is the one that called prepare.
    """

    id: str
    error: str
    text: str
    saw: str
    next: str
    so: str = "training stopped there"
    expected: str = "no error"
    line: str = ""
    outside: bool = False
    at_prepare: bool = False

    def fits(self, event: dict[str, Any], where: Place | None) -> bool:
        """Whether a noted exception is of this kind. where: the student's line."""
        if self.outside and where is not None:
            return False
        if self.line and (where is None or not re.search(self.line, where.source)):
            return False
        return bool(re.search(self.error, str(event["error"])) and re.search(self.text, str(event["text"])))


# Texts as measured with torch 2.14 and accelerate 1.15.
KNOWN = (
    Known("not-written", "NotImplementedError", "^$", "training_loop is still the empty stub",
          "write the loop in the answer cell, in the place of `raise NotImplementedError()`",
          "there is nothing to judge yet", "the loop in the answer cell"),
    Known("does-not-parse", "SyntaxError|IndentationError", "", "this is not valid Python: {text}",
          "mend the line; the mistake can also be at the end of the line above", "no line of this cell can run",
          "a cell that Python can read"),
    Known("hard-coded-device", "RuntimeError|AssertionError",
          "NVIDIA driver|not compiled with CUDA|No CUDA GPUs|Cannot re-initialize CUDA",
          "this line moves to a GPU that is named by hand",
          "take the move out; prepare places the model and the batches, constants go to accelerator.device",
          "training stops where there is no such device for this process", "no device named by hand"),
    Known("wrong-unpacking", "TypeError", "'(AcceleratedOptimizer|AcceleratedScheduler|DataLoaderShard|"
          "DataLoaderDispatcher|DistributedDataParallel)' object is not (iterable|callable|an iterator|subscriptable)",
          "the results of prepare are unpacked in another order than they were passed ({text})",
          "give the names on the left in the order of the arguments of prepare",
          expected="the results in the order of the arguments", at_prepare=True),
    Known("wrong-unpacking", "AttributeError",
          "'(AcceleratedOptimizer|DataLoaderShard)' object has no attribute '(train|eval|parameters)'|"
          "'(DataLoaderShard|DistributedDataParallel)' object has no attribute '(step|zero_grad)'",
          "the results of prepare are unpacked in another order than they were passed ({text})",
          "give the names on the left in the order of the arguments of prepare",
          expected="the results in the order of the arguments", at_prepare=True),
    Known("wrong-unpacking", "TypeError|ValueError", "cannot unpack non-iterable|values to unpack",
          "the results of prepare do not fit the names they are unpacked into ({text})",
          "as many names as arguments, in their order; a single object comes back bare, without a tuple",
          expected="one name for each argument of prepare", line="prepare"),
    Known("dtypes-do-not-meet", "RuntimeError",
          "(BFloat16|Half).*should be the same|same dtype.*(BFloat16|Half)",
          "this line gives a network numbers of another dtype than its weights ({text})",
          "let autocast cast them: prepare the network that is trained, and call one that is not prepared inside "
          "accelerator.autocast()",
          expected="a network that is prepared, or called inside accelerator.autocast()"),
    Known("unscaled-twice", "RuntimeError", r"unscale_\(\) has already been called",
          "under fp16 the gradients are brought to their own size twice before one step",
          "call accelerator.clip_grad_norm_ alone: it unscales first, and once is all that is allowed",
          expected="gradients that are unscaled once before a step"),
    Known("second-accelerator", "ValueError", "AcceleratorState has already been initialized.*mixed_precision",
          "another Accelerator was made with another precision ({text})",
          "make one Accelerator, say its precision there, and pass it to whoever needs it",
          expected="one Accelerator with one precision"),
    Known("frozen-model-prepared", "RuntimeError", "DistributedDataParallel is not needed",
          "a model without a trainable parameter was passed to prepare",
          "move that model to accelerator.device instead of preparing it",
          expected="only models that are trained in prepare"),
    Known("unused-parameters", "RuntimeError", "Expected to have finished reduction",
          "some parameters of the prepared model took no part in the loss",
          "use every trainable part in the loss, or freeze what is not used before prepare",
          expected="every trainable parameter in the loss"),
    Known("attribute-on-wrapper", "AttributeError", "'DistributedDataParallel' object has no attribute",
          "on two processes the prepared model is a wrapper without this attribute ({text})",
          "read it from accelerator.unwrap_model(model), and call the wrapper itself for the forward pass",
          expected="the wrapper called, and attributes read from the model inside it"),
    Known("gathered-loss", "RuntimeError", "does not require grad and does not have a grad_fn",
          "backward was called on a loss that is not connected to the model (gathered or detached)",
          "call backward on the loss of this process; gather a detached copy only to report it",
          expected="the loss as the model gave it"),
    Known("loss-is-a-number", "AttributeError", "'(float|int)' object has no attribute 'backward'",
          "backward was called on a plain number", "pass the loss tensor to accelerator.backward, and use .item() only "
          "for printing", "a number has no gradient", "accelerator.backward(loss) with the tensor that the model gave"),
    Known("constant-left-behind", "RuntimeError", "Expected all tensors to be on the same device",
          "this line uses a constant that was never moved to the accelerator's device",
          "move it once, before the loop: constant = constant.to(accelerator.device)",
          "on a GPU training stops at this line, as batches and model are there and the constant is on the CPU",
          "constants on accelerator.device"),
    Known("different-shapes", "DistributedOperationException", "shape mismatches",
          "the processes gathered tensors of different shapes",
          "pad them first with accelerator.pad_across_processes, or gather whole batches and choose afterwards",
          expected="tensors of one shape on every rank"),
    Known("different-collectives", "DistributedOperationException|RuntimeError", "Timed out|DistributedOperation",
          "the processes did not make the same collective call", "let every rank reach every collective",
          expected="the same calls on every rank, in the same order"),
    Known("not-a-process-group", "ValueError|RuntimeError", "Default process group has not been initialized",
          "torch.distributed was used where the processes are not joined",
          "make the Accelerator first, and use its gather and reduce: they also work on one process",
          expected="a loop that runs on one process too"),
    Known("no-log-folder", "ValueError", "requires a `logging_dir`", "the Accelerator is not told where the log goes",
          "say it beside log_with: Accelerator(log_with=..., project_dir=LOG_FOLDER)",
          expected="a kind of log and a folder for it"),
    Known("tracker-on-main-only", "AttributeError", "'GeneralTracker' object has no attribute",
          "only the main process has a tracker; on the others get_tracker gives an empty one ({text})",
          "use accelerator.log, which does nothing on the others, or ask `if accelerator.is_main_process:` first",
          expected="the tracker's own methods called on the main process only"),
    Known("schedule-runs-out", "ValueError", r"Tried to step \d+ times",
          "the scheduler is stepped more often than its schedule is long ({text})",
          "count `epochs` times len(train_loader) before prepare, and step once for each optimizer step",
          expected="a schedule that ends with the training"),
    Known("called-with-arguments", "TypeError", r"\w+\(\) (takes|missing|got)",
          "training_loop cannot be called as training_loop({signature}) ({text})",
          "keep the parameters of the exercise, in their order; the launcher passes `args` and nothing else",
          "it never began", "def training_loop({signature})", outside=True),
)  # fmt: skip

_LOST = r"[Cc]onnection (was )?(closed|reset|refused)|Broken pipe|Socket closed|remote worker crashing"


def lost_peer(event: dict[str, Any]) -> bool:
    """True when a noted exception only says that another process is gone."""
    return bool(re.search(_LOST, str(event["text"])))


def explain(event: dict[str, Any], run: Run) -> Finding:
    """A finding for an exception that was noted, by the rank that raised first."""
    where = run.place(event.get("where"))
    text = str(event["text"]).split("\n")[0][:200]
    rank = event.get("rank")
    by = f" on rank {rank}" if run.plan.processes > 1 and rank is not None and not _on_all(run, event) else ""
    over = after_the_end(event, run)
    if over is not None:
        return replace(over, saw=over.saw + by)
    known = next((it for it in KNOWN if it.fits(event, where)), None)
    if known is not None:
        shown = (_prepare_place(run) if known.at_prepare else where) or where
        if shown is None and known.outside:
            shown = definition(run.submission, run.plan.function)
        signature = run.plan.signature
        saw = known.saw.format(text=text, signature=signature) + by
        expected = known.expected.format(signature=signature)
        return Finding(known.id, saw, expected, known.so, shown, known.next, {"rank": rank})
    special = SPECIAL.get(str(event["error"]))
    found = special(event, run) if special else None
    if found is not None:
        return replace(found, saw=found.saw + by)
    said = f"{event['error']}: {text}" if text else str(event["error"])
    return Finding(
        "raised",
        f"training_loop raised {said}{by}" if event.get("phase") == "loop" else f"a cell raised {said}",
        expected="no error",
        so="training stopped there" + (", and the other process waits for this one in vain" if by else ""),
        where=where,
        next="mend this line first; the rest is judged when the loop runs to its end",
        data={"error": event["error"], "rank": rank},
    )


def _on_all(run: Run, event: dict[str, Any]) -> bool:
    """True when each rank raised the same error."""
    same = {it["rank"] for it in run.of("raised") if it["error"] == event["error"]}
    return len(same) >= run.plan.processes


def _prepare_place(run: Run) -> Place | None:
    """The line of the last prepare call with several arguments."""
    calls = [it for it in run.of("prepare") if len(it["roles"]) > 1]
    return run.place(calls[-1]["where"]) if calls else None


def _name(event: dict[str, Any], run: Run) -> Finding:
    found = re.search(r"name '(\w+)'|local variable '(\w+)'|free variable '(\w+)'", str(event["text"]))
    name = next((it for it in found.groups() if it), "?") if found else "?"
    local = event["error"] == "UnboundLocalError"
    return Finding(
        "unknown-name",
        f"{name} is used before anything was assigned to it"
        if local
        else f"the name {name} is used but nothing of that name exists here",
        expected="every name to be imported or defined before it is used",
        so="training stopped there",
        where=run.place(event.get("where")),
        next=f"give {name} a value on every way that leads to this line, on every rank"
        if local
        else f"import or define {name}, or mend its spelling",
        data={"name": name},
    )


def _exit(event: dict[str, Any], run: Run) -> Finding:
    return Finding(
        "left-by-exit",
        "training_loop ends its process with exit()",
        expected="every rank to return from training_loop",
        so="the other processes lose it" if run.plan.processes > 1 else "the caller gets nothing back",
        where=run.place(event.get("where")),
        next="use return to leave the function, on every rank",
    )


def _lengths(event: dict[str, Any], run: Run) -> Finding | None:
    """Two tensors of different lengths in a loop that gathers: one was gathered, the other was not."""
    text = str(event["text"])
    apart = re.search(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", text)
    gathered = any(it["name"].startswith("gather") for it in run.of("collective", event.get("rank")))
    if apart is None or not gathered:
        return None
    return Finding(
        "gathered-one-of-two",
        f"a tensor of {apart[1]} rows is combined with one of {apart[2]}: one was gathered, the other was not",
        expected="predictions and labels of the same rows",
        so="training stopped there",
        where=run.place(event.get("where")),
        next="gather both in one call: accelerator.gather_for_metrics((predictions, labels))",
    )


SPECIAL: dict[str, Callable[[dict[str, Any], Run], Finding | None]] = {
    "NameError": _name,
    "UnboundLocalError": _name,
    "SystemExit": _exit,
    "RuntimeError": _lengths,
}
