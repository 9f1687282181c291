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
#     lesson: 03_honest_metrics
#     title: A metric that counts every row once
#     minutes: 40
#     difficulty: 2
#     teaches: gather counts rows twice, gather_for_metrics does not; accelerator.print
#     changes: [Accelerator, accelerator, device]
# ---

# %% [markdown]
# # 03 · A metric that counts every row once
#
# **About 40 minutes · difficulty 2 of 5**
#
# Two processes share the evaluation rows, so neither has seen them all. They have to put their predictions
# together before anybody can say "93 of 95 right". The obvious way of doing it counts some rows twice.

# %% [markdown]
# ## What you know
#
# From lesson 01: `prepare` deals the batches of a loader out among the processes, and each works on its
# share.
#
# From plain PyTorch: an evaluation loop. `model.eval()`, no gradients, compare predictions with labels, add
# up, divide at the end.
#
# The next cell is the one from lesson 01: one thread for each process, set before `torch` is imported, since
# a fork can't take threads along; and `ACCELERATE_USE_CPU` where there are no two GPUs, since without it two
# processes on a CPU would quietly train two models, each on its own.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import torch

if torch.cuda.device_count() < 2:
    os.environ["ACCELERATE_USE_CPU"] = "yes"  # two processes on the CPU, not two lonely ones

from accelerate import Accelerator, notebook_launcher
from accelerate.utils import set_seed
from torch.utils.data import DataLoader

from looplift import check, show_diff

# %% [markdown]
# ## What changes, and why
#
# **Prepare the evaluation loader too.** Then each process evaluates its share, and the work is done in half
# the time. (You may leave it out: then every process evaluates all the rows, which is right but slow.)
#
# **Gather before you count.** After the forward pass each process holds the predictions for its own rows.
# `accelerator.gather(x)` puts the `x` of all processes one after the other, and gives the whole to every
# process. All processes must reach that line, equally often: one that waits there for the others waits for
# ever if they don't come.
#
# **The trap.** All processes must also take equally many batches, of equal size. So when the rows don't
# divide, the prepared loader fills the last round up, with rows from the beginning. `gather` hands over these
# too.
#
# See it: 21 rows, numbered 0 to 20, four in a batch, on two processes.


# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
def count_rows():
    accelerator = Accelerator()
    loader = accelerator.prepare(DataLoader(range(21), batch_size=4))
    rows = torch.cat([accelerator.gather(batch) for batch in loader])
    accelerator.print(f"gather             {len(rows)} rows, the last ones {rows[-6:].tolist()}")
    rows = torch.cat([accelerator.gather_for_metrics(batch) for batch in loader])
    accelerator.print(f"gather_for_metrics {len(rows)} rows, the last ones {rows[-6:].tolist()}")


notebook_launcher(count_rows, (), num_processes=2)

# %% [markdown]
# 24 rows, and 0, 1 and 2 are there twice: their share of the accuracy is twice what it should be. Nothing
# warns you. The accuracy is only a little wrong, and wrong in another way on another number of processes or
# with another batch size. (Accelerate's own notebook tutorial counts with `gather`, as many programs do.)
#
# **`gather_for_metrics` knows.** The prepared loader remembers how many rows of the last round are there only
# to fill it up, and `gather_for_metrics` drops them. Everything that you count together goes through it
# together:
#
# ```python
# predictions, labels = accelerator.gather_for_metrics((predictions, labels))
# ```
#
# Gather **rows, not results**. A number that was already averaged over a batch can't be taken apart again:
# the rows that fill up are in it. And a count of this process alone, divided by the length of the whole data
# set, is too small by the number of processes.
#
# **`accelerator.print` prints once**, on the main process. Plain `print` would print the line on each. It's
# only the printing that is for the main process: the gathering must happen on all of them, so never put it
# under `if accelerator.is_main_process`.

# %% [markdown]
# ## Before and after
#
# The whole change on a real program: the pets of lesson 02, with 95 of them kept for evaluation. In batches
# of 32 on two processes, `gather` would have counted 128.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("03_honest_metrics")

# %% [markdown]
# ## Your loop
#
# Yours measures something else on other data: do two sentences mean the same, and what is the **F1** of the
# answer "yes"? Accuracy is a mean over rows; F1 isn't. It is made of three counts over *all* rows,
#
# $$F_1 = \frac{2 \cdot \text{hits}}{\text{said yes} + \text{truly yes}}$$
#
# where a hit is a row that was said to be "yes" and is. So you can't average the F1 of batches, or of
# processes.

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.pairs import pair_loaders
from looplift.material.text import text_model

LEARNING_RATE = 0.05


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with input_ids, attention_mask and labels."""
    return pair_loaders(batch_size)


def make_model():
    """A tiny DistilBERT with two classes: 1 means the same, 0 does not."""
    return text_model()


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=16, epochs=3, seed=42):
    """Train on one device and measure F1 after each epoch. Gives the last F1 back."""
    set_seed(seed)
    # In a script you'd write "cuda" where there is one; a notebook that has touched CUDA can't be forked.
    device = torch.device("cpu")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            batch = {name: column.to(device) for name, column in batch.items()}
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()

        model.eval()
        hits, said, true = 0, 0, 0
        for batch in eval_loader:
            batch = {name: column.to(device) for name, column in batch.items()}
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            labels = batch["labels"]
            hits += ((predictions == 1) & (labels == 1)).sum().item()
            said += (predictions == 1).sum().item()
            true += (labels == 1).sum().item()
        f1 = 2 * hits / max(said + true, 1)
        print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
plain_f1 = plain_loop()

# %% [markdown]
# ## Your turn
#
# Write `training_loop` so that it trains on any number of processes, measures the F1 of *all* evaluation
# rows, each counted once, prints the line of an epoch once, and gives the last F1 back, the same on every
# process.


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=16, epochs=3, seed=42):
    """What plain_loop does, on any number of processes. Gives the last F1 back."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(
        model, optimizer, train_loader, eval_loader
    )
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()

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
    return f1
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# One line for each epoch. The values need not be those of `plain_loop`: two processes take half as many
# steps, each on twice as many rows. (The launcher throws away what your function gives back; the checks look
# at it.)

# %% nbgrader={"grade": false, "grade_id": "launch", "locked": true, "schema_version": 3, "solution": false, "task": false}
args = (16, 3, 42)
notebook_launcher(training_loop, args, num_processes=2)

# %% [markdown]
# ## Hints
#
# Open them one after the other, and only as many as you need.
#
# <details>
# <summary>Hint 1: where to look</summary>
#
# Do what you did in lesson 01 first, with one object more in `prepare`. Then look at the line where
# predictions have just been made: whose predictions are they, and whose labels belong to them?
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - `eval_loader` goes through `prepare` with the others.
# - Between the forward pass and the counting: gather predictions and labels for metrics, in one call, on
#   every process.
# - The counting itself doesn't change. Nor does the formula, after the loop.
# - The accelerator prints.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# for batch in eval_loader:
#     with torch.no_grad():
#         predictions = model(**batch).logits.argmax(dim=-1)
#     predictions, labels = accelerator.gather_for_metrics((..., batch["labels"]))
#     ...                                   # the three counts of plain_loop
# f1 = 2 * hits / max(said + true, 1)
# accelerator...(f"epoch {epoch}: F1 {f1:.4f}")
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again.
#
# **2 points:** two processes train one model.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# **4 points:** every evaluation row is counted, and counted once.

# %% nbgrader={"grade": true, "grade_id": "check-every_row_once", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("every_row_once", training_loop)

# %% [markdown]
# **2 points:** every process gives back the same F1, on one process as on two.

# %% nbgrader={"grade": true, "grade_id": "check-same_answer", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("same_answer", training_loop)

# %% [markdown]
# **2 points:** the line of an epoch is printed once.

# %% nbgrader={"grade": true, "grade_id": "check-printed_once", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("printed_once", training_loop)

# %% [markdown]
# ## What you take along
#
# - A prepared loader fills up its last round with rows that were there already.
# - `gather_for_metrics` drops them again; `gather` doesn't. Gather rows, then count.
# - Gather on every process, print on one.
