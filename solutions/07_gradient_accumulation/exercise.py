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
#     lesson: 07_gradient_accumulation
#     title: One step from several batches
#     minutes: 40
#     difficulty: 3
#     teaches: accumulate, gradient_accumulation_steps, sync_gradients; clipping a whole gradient
#     changes: [Accelerator, accelerator, device, enumerate, index, ACCUMULATION, batch, loss, optimizer, MAX_NORM]
# ---

# %% [markdown]
# # 07 · One step from several batches
#
# **About 40 minutes · difficulty 3 of 5**
#
# The batch that you'd like to train with doesn't fit into memory, but a quarter of it does. So you go through
# four small batches, add up their gradients, and take one step. By hand that is a division, a modulo, a special
# case for the end of an epoch, and, on several processes, a lot of needless talk between them. Accelerate has one
# block for all of it, which is easy to get wrong in ways that raise no error.

# %% [markdown]
# ## What you know
#
# From lesson 01: `prepare` what trains, and let the accelerator do the backward.
#
# From plain PyTorch: `backward()` *adds* to the gradients that are there. Nothing is lost between two calls of
# `zero_grad()`, and four batches, each with its loss divided by four, add up to the gradient of the one large batch
# that they make together.
#
# The next cell is the one from lesson 01.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import torch

if torch.cuda.device_count() < 2:
    os.environ["ACCELERATE_USE_CPU"] = "yes"  # two processes on the CPU, not two lonely ones

from accelerate import Accelerator, notebook_launcher
from accelerate.utils import set_seed
from torch.nn.utils import clip_grad_norm_

from looplift import check, show_diff

# %% [markdown]
# ## What changes, and why
#
# **The accelerator is told how many batches make a step**: `Accelerator(gradient_accumulation_steps=4)`. From then
# on `accelerator.backward(loss)` divides every loss by 4. If you divide, too, it is done twice.
#
# **A block counts the batches**: `with accelerator.accumulate(model):` around what is done with one batch. Each time
# it is entered, it counts. What happens inside depends on the count:
#
# | | batch 1, 2, 3 | batch 4, and the last of an epoch |
# |---|---|---|
# | the processes average their gradients | no | yes |
# | `optimizer.step()` of the prepared optimizer | does nothing | steps |
# | `optimizer.zero_grad()` of the prepared optimizer | does nothing | clears |
# | `accelerator.sync_gradients` | `False` | `True` |
#
# So you write `step` and `zero_grad` as if you stepped after every batch. See it, 6 batches on each of two
# processes:


# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
def count_steps():
    accelerator = Accelerator(gradient_accumulation_steps=4)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(torch.ones(12, 1), batch_size=1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for number, batch in enumerate(loader, 1):
        with accelerator.accumulate(model):
            before = accelerator.unwrap_model(model).weight.item()
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
        moved = accelerator.unwrap_model(model).weight.item() != before
        said = f"batch {number}: sync_gradients {accelerator.sync_gradients}, the weight moved: {moved}"
        accelerator.print(said)


notebook_launcher(count_steps, (), num_processes=2)

# %% [markdown]
# Two steps: after batch 4, and after batch 6, the last. Nobody had to say that the epoch ends there: the prepared
# loader knows.
#
# Three lines look harmless and are not:
#
# - **`zero_grad()` first.** In a plain loop it may stand at the top. Here, at the top of the block, it clears when a
#   step is due, and that is just before the last of four batches goes backward: three of four are thrown away.
# - **Somebody else's `zero_grad()`.** `model.zero_grad()` doesn't wait.
# - **Clipping.** A gradient must be whole before it is clipped. A quarter of it has another norm, and on each process
#   another one. `accelerator.sync_gradients` says when it is whole.

# %% [markdown]
# ## Before and after
#
# The sentence pairs of lesson 02, in batches of 8, four to a step. Note what is gone: the division, the number of the
# batch, the modulo and the special case.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("07_gradient_accumulation")

# %% [markdown]
# ## Your loop
#
# Yours trains on product reviews, with `ACCUMULATION` batches to a step, and clips the gradient to `MAX_NORM`.

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.reviews import review_loaders
from looplift.material.text import text_model

LEARNING_RATE = 0.5
ACCUMULATION = 4  # batches that one step learns from
MAX_NORM = 0.2


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with input_ids, attention_mask and labels."""
    return review_loaders(batch_size)


def make_model():
    """A tiny DistilBERT with two classes: 1 is a good review, 0 a bad one."""
    return text_model()


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=8, epochs=3, seed=42):
    """Train on one device, each step on the gradient of ACCUMULATION batches."""
    set_seed(seed)
    # In a script you'd write "cuda" where there is one; a notebook that has touched CUDA can't be forked.
    device = torch.device("cpu")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    for epoch in range(epochs):
        model.train()
        for index, batch in enumerate(train_loader):
            batch = {name: column.to(device) for name, column in batch.items()}
            loss = model(**batch).loss
            (loss / ACCUMULATION).backward()
            if (index + 1) % ACCUMULATION == 0 or index + 1 == len(train_loader):
                clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()
        print(f"epoch {epoch}: loss {loss.item():.4f}")


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
plain_loop()

# %% [markdown]
# ## Your turn
#
# Write `training_loop`, which trains the same on any number of processes. Before you type, decide for each line of
# `plain_loop` whether it stays, goes, or moves to another place, and who does its work now.


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=8, epochs=3, seed=42):
    """What plain_loop does, on any number of processes."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION)
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
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
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# Two processes, batches of 8 on each, four to a step: a step learns from 64 rows. In `plain_loop` it was 32.

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
# Four lines of `plain_loop` are there only because it accumulates: the `enumerate`, the division, the long `if`, and
# the clipping under it. Which of them does the accelerator do for you, once it knows the number of batches? And
# what does it need to see, to count them?
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - The number of batches goes into the accelerator, when it is made.
# - Model, optimizer and loader go through `prepare`, all three: each has a part in this.
# - The body of the loop over batches goes into a block that counts.
# - Inside it: forward, backward (of the loss as it is), clip if the gradient is whole, step, clear. In this order.
# - No modulo, no length, no division.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# accelerator = Accelerator(gradient_accumulation_steps=...)
# ...
# for batch in train_loader:
#     with accelerator.accumulate(...):
#         loss = model(**batch).loss
#         accelerator.backward(...)
#         if accelerator.sync_gradients:
#             accelerator.clip_grad_norm_(..., MAX_NORM)
#         optimizer...
#         optimizer...
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again.
#
# **1 point:** model, optimizer and loader go through `prepare`.

# %% nbgrader={"grade": true, "grade_id": "check-prepared", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("prepared", training_loop)

# %% [markdown]
# **4 points:** a step learns from four batches, from each as much, and from what is left at the end of an epoch.

# %% nbgrader={"grade": true, "grade_id": "check-accumulated", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("accumulated", training_loop)

# %% [markdown]
# **2 points:** the gradient is clipped once a step, when it is whole.

# %% nbgrader={"grade": true, "grade_id": "check-clipped", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("clipped", training_loop)

# %% [markdown]
# **3 points:** two processes train one model, and it is the plain loop's.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# ## What you take along
#
# - `gradient_accumulation_steps` divides, `accumulate` counts: it takes both.
# - Inside the block `step` and `zero_grad` wait until a step is due. Only the prepared optimizer's do.
# - `sync_gradients` says that the gradient is whole: clip, log and count steps under it.
# - The last batches of an epoch make a smaller step, and nobody has to say so.
