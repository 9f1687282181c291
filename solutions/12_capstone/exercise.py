# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
#   looplift:
#     lesson: 12_capstone
#     title: A whole script, handed over
#     minutes: 70
#     difficulty: 5
#     teaches: process group, DDP, sampler, scaler, no_sync, clipping, guards and checkpoint by hand, all of it handed over
#     changes: [Accelerator, accelerator, dist, processes, rank, device, sampler, scaler, fp16, due, add_up, own_, index, counts, state, weights, nullcontext, total, rows, seen, predictions, loss, save, torch, optimizer, numbers, import os]
#     longest: 170
#     most_changed: 0.9
#     both_launched: true
# ---

# %% [markdown]
# # 12 · A whole script, handed over
#
# **About 70 minutes · difficulty 5 of 5**
#
# Every lesson before this one changed a few lines. Scripts that you inherit are not so kind: somebody has written
# the whole of distributed training out, years ago, and it works. This lesson hands such a script over to Accelerate,
# all at once. Nothing in it is new to you. What is new is that nobody tells you which lines it is about.

# %% [markdown]
# ## What you know
#
# - `prepare`, `backward` and the moves that go: lesson 01.
# - `gather_for_metrics` and one line for each epoch: lesson 03.
# - `accumulate`, `sync_gradients`, clipping: lesson 07.
# - `mixed_precision`, and clipping under a scaler: lesson 08.
#
# The next cell is the one from lesson 01, with what a script by hand needs besides.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import os
from contextlib import nullcontext

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import torch

if torch.cuda.device_count() < 2:
    os.environ["ACCELERATE_USE_CPU"] = "yes"  # two processes on the CPU, not two lonely ones

import torch.distributed as dist
from accelerate import Accelerator, notebook_launcher
from accelerate.utils import set_seed
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader, DistributedSampler

from looplift import check, show_diff

# %% [markdown]
# ## What changes, and why
#
# Read such a script by asking of each line **whose work it does**. There are three answers.
#
# **The launcher's and the accelerator's.** These lines go, and nothing takes their place:
#
# | by hand | what does it now |
# |---|---|
# | `RANK`, `WORLD_SIZE`, `init_process_group`, `set_device` | `Accelerator()` |
# | `DistributedDataParallel(model)` | `prepare` |
# | `DistributedSampler`, `set_epoch` | `prepare` |
# | `GradScaler`, `scale`, `unscale_`, `update`, `autocast` | `Accelerator(mixed_precision="fp16")` |
# | the count, the division, `no_sync` | `accumulate` |
#
# **The loop's, done by another name.** Clipping stays, since only you know the norm, but only
# `accelerator.clip_grad_norm_` knows of the scaler. Counting stays, but of rows that were gathered. Printing stays,
# once.
#
# **Nobody's any more.** `if processes > 1`, `model.module`, a barrier around a barrier. Such lines were there for the
# lines that went.
#
# Three of them are traps, as what they did is easily lost without an error:
#
# - **A sampler that stays.** `prepare` shares out what the sampler has shared out already, and half of the rows are
#   never seen.
# - **Counts that are still added up by hand.** A prepared loader fills its last round up. The script by hand had
#   taken care of that in another way: its processes read `rank, rank + 2, rank + 4, ...` and no row twice.
# - **The names in the file.** On several processes `model.state_dict()` is that of the wrapper, and each name begins
#   with `module.`. The file can be written, but the plain model can't read it. See what the wrapper says:


# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
def name_weights():
    accelerator = Accelerator()
    model = accelerator.prepare(torch.nn.Linear(1, 1))
    accelerator.print("model.state_dict()           ", list(model.state_dict()))
    accelerator.print("accelerator.get_state_dict() ", list(accelerator.get_state_dict(model)))


notebook_launcher(name_weights, (), num_processes=2)

# %% [markdown]
# `accelerator.save(...)` writes on the main process only, so every process may call it. `torch.save` writes wherever
# it is called.

# %% [markdown]
# ## Before and after
#
# The sentence pairs of lesson 02. Both programs are the same training, on one process and on two. The left one is
# twice as long.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("12_capstone")

# %% [markdown]
# ## Your loop
#
# Another such script, by somebody else. It trains on product reviews, measures F1, and leaves its weights in the file
# `CHECKPOINT`, so that `make_model().load_state_dict(torch.load(CHECKPOINT))` works.

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.reviews import review_loaders
from looplift.material.text import text_model

LEARNING_RATE = 0.5
ACCUMULATION = 4  # batches that one step learns from
MAX_NORM = 0.2
CHECKPOINT = "weights.pt"  # the file for the trained weights


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with input_ids, attention_mask and labels."""
    return review_loaders(batch_size)


def make_model():
    """A tiny DistilBERT with two classes: 1 is a good review, 0 a bad one."""
    return text_model()


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=8, epochs=3, seed=42):
    """Train on as many processes as the environment says. Leaves the weights in CHECKPOINT, gives the last F1 back."""
    set_seed(seed)
    rank = int(os.environ.get("RANK", "0"))
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    # In a script you'd write "cuda" where there is one; a notebook that has touched CUDA can't be forked.
    device = torch.device("cpu")
    fp16 = device.type == "cuda"
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    model.to(device)
    network = model
    sampler = None
    if processes > 1:
        dist.init_process_group("gloo")
        model = DistributedDataParallel(model)
        rows = train_loader.dataset
        sampler = DistributedSampler(rows, processes, rank, seed=seed)
        train_loader = DataLoader(rows, batch_size, sampler=sampler)
        rows = eval_loader.dataset
        eval_loader = DataLoader(rows, 2 * batch_size, sampler=range(rank, len(rows), processes))
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    scaler = torch.amp.GradScaler(device.type, enabled=fp16)

    for epoch in range(epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        model.train()
        for index, batch in enumerate(train_loader):
            batch = {name: column.to(device) for name, column in batch.items()}
            due = (index + 1) % ACCUMULATION == 0 or index + 1 == len(train_loader)
            with nullcontext() if due or processes == 1 else model.no_sync():
                with torch.autocast(device.type, torch.float16, enabled=fp16):
                    loss = model(**batch).loss
                scaler.scale(loss / ACCUMULATION).backward()
            if due:
                scaler.unscale_(optimizer)
                clip_grad_norm_(model.parameters(), MAX_NORM)
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()

        model.eval()
        counts = torch.zeros(3, dtype=torch.long, device=device)  # hits, said to be good, truly good
        for batch in eval_loader:
            batch = {name: column.to(device) for name, column in batch.items()}
            with torch.no_grad(), torch.autocast(device.type, torch.float16, enabled=fp16):
                predictions = network(**batch).logits.argmax(dim=-1)
            labels = batch["labels"]
            counts[0] += ((predictions == 1) & (labels == 1)).sum()
            counts[1] += (predictions == 1).sum()
            counts[2] += (labels == 1).sum()
        if processes > 1:
            dist.all_reduce(counts)
        hits, said, true = counts.tolist()
        f1 = 2 * hits / max(said + true, 1)
        if rank == 0:
            print(f"epoch {epoch}: F1 {f1:.4f}")

    if rank == 0:
        weights = {name.removeprefix("module."): it for name, it in model.state_dict().items()}
        torch.save(weights, CHECKPOINT)
    if processes > 1:
        dist.barrier()
        dist.destroy_process_group()
    return f1


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
notebook_launcher(plain_loop, (8, 3, 42), num_processes=2)

# %% [markdown]
# ## Your turn
#
# Write `training_loop`, the same training with an accelerator that was asked for `"fp16"`. Before you type, go
# through `plain_loop` and mark each line: does it stay, does it go, or does it stay by another name?
#
# On a CPU `"fp16"` does nothing, as you know from lesson 08. The script is meant for a machine on which it does, so
# one check gives your accelerator a scaler that works.


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=8, epochs=3, seed=42):
    """What plain_loop does, by an accelerator that was asked for fp16. Gives the last F1 back, on every process."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION, mixed_precision="fp16")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(
        model, optimizer, train_loader, eval_loader
    )

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()

        model.eval()
        hits, said, true = 0, 0, 0
        for batch in eval_loader:
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
            hits += ((predictions == 1) & (labels == 1)).sum().item()
            said += (predictions == 1).sum().item()
            true += (labels == 1).sum().item()
        f1 = 2 * hits / max(said + true, 1)
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")

    accelerator.save(accelerator.get_state_dict(model), CHECKPOINT)
    return f1
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# Two processes, batches of 8 on each, four to a step, as `plain_loop` had it above. The numbers need not be the same:
# the rows come in another order.

# %% nbgrader={"grade": false, "grade_id": "launch", "locked": true, "schema_version": 3, "solution": false, "task": false}
args = (8, 3, 42)
notebook_launcher(training_loop, args, num_processes=2)

# %% [markdown]
# ## Hints
#
# Open them one after the other, and only as many as you need.
#
# <details>
# <summary>Hint 1: where to look</summary>
#
# Take everything out first that asks for `rank`, `processes`, `device`, `sampler` or `fp16`. What is left is the loop
# of one process. Then go through it once for each of these: who steps, who clips, who counts, who prints, who
# saves?
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - Accumulation and precision are said when the accelerator is made.
# - Four objects go through `prepare`, both loaders among them, as `get_dataloaders` gave them.
# - The block of lesson 07 stands in the place of `due`, `no_sync` and the division.
# - The accelerator clips, so nobody unscales by hand.
# - Predictions and labels are gathered for metrics; then they are counted as before, and nothing is added up
#   afterwards.
# - The weights are saved once, after the last epoch, under names without `module.`.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# accelerator = Accelerator(gradient_accumulation_steps=..., mixed_precision=...)
# ...
#         for batch in train_loader:
#             with accelerator.accumulate(model):
#                 ...                        # the five lines of lesson 07
#         ...
#             predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
#             ...                            # the three counts
# accelerator.save(accelerator.get_state_dict(...), CHECKPOINT)
# return f1
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again.
#
# **1 point:** what trains goes through `prepare`, and the accelerator goes backward and moves.

# %% nbgrader={"grade": true, "grade_id": "check-handed_over", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("handed_over", training_loop)

# %% [markdown]
# **1 point:** a step learns from four batches, and from what is left at the end of an epoch.

# %% nbgrader={"grade": true, "grade_id": "check-accumulated", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("accumulated", training_loop)

# %% [markdown]
# **1 point:** the gradient is clipped once a step, when it is whole.

# %% nbgrader={"grade": true, "grade_id": "check-clipped", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("clipped", training_loop)

# %% [markdown]
# **1 point:** the steps are the same under a scaler.

# %% nbgrader={"grade": true, "grade_id": "check-scaled", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("scaled", training_loop)

# %% [markdown]
# **2 points:** two processes train one model, and it is the plain loop's.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# **2 points:** every evaluation row is counted once, and every process gives the same F1 back.

# %% nbgrader={"grade": true, "grade_id": "check-counted", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("counted", training_loop)

# %% [markdown]
# **1 point:** the line of an epoch is printed once.

# %% nbgrader={"grade": true, "grade_id": "check-printed_once", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("printed_once", training_loop)

# %% [markdown]
# **1 point:** one process leaves the final weights in `CHECKPOINT`, and a plain model can read them.

# %% nbgrader={"grade": true, "grade_id": "check-saved", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("saved", training_loop)

# %% [markdown]
# ## What you take along
#
# - Of each line ask whose work it does. Much of a script by hand is there for other lines of it.
# - What was shared out by hand must not be shared out again: rows, counts, the loss.
# - The wrapper's names don't belong into a file; one process writes it.
