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
#     lesson: 01_first_loop
#     title: Your first loop on two processes
#     minutes: 30
#     difficulty: 1
#     teaches: Accelerator(), prepare, accelerator.backward; manual .to(device) goes
#     changes: [Accelerator, accelerator, device]
# ---

# %% [markdown]
# # 01 · Your first loop on two processes
#
# **About 30 minutes · difficulty 1 of 5**
#
# You take a plain PyTorch training loop and change it until two processes train one model together. The loop
# stays yours: you'll remove a few lines, add two, and change one.
#
# Run the cells from top to bottom. You write in one cell, the one that says `YOUR CODE HERE`; the checks at
# the end tell you, one thing at a time, what is still missing and where.

# %% [markdown]
# ## What you know
#
# A plain training loop takes the same steps for every batch:
#
# 1. forget the last gradients: `optimizer.zero_grad()`
# 2. move the batch to the device that the model is on: `.to(device)`
# 3. forward: `outputs = model(...)`
# 4. take the loss
# 5. backward: `loss.backward()`
# 6. update the weights: `optimizer.step()`
#
# It uses one process and one device. A second GPU beside it stays idle. To use both, somebody has to start
# two processes, deal the rows out between them, and average their gradients before every step, so that the
# two copies of the model stay equal. Hugging Face **Accelerate** does that, and leaves you the loop.

# %% [markdown]
# ## Before anything else
#
# Run the next cell first. Two of its lines decide whether this page really trains on two processes:
#
# - **`OMP_NUM_THREADS`** is set to 1, before `torch` is imported. PyTorch reads it once, at import. The
#   launcher will *fork* this notebook, and a fork can't take running threads along: had the notebook already
#   computed with two threads, the new processes could wait for them for ever. It also keeps two processes
#   from fighting over the cores.
# - **`ACCELERATE_USE_CPU`** is set where there are no two GPUs. Without it, Accelerate finds no GPU in either
#   process and quietly decides that there is nothing to share: you'd get *two separate trainings on one
#   process each*, both over all the rows, and not one warning. With it, the two processes find each other and
#   work together on the CPU.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import torch

if torch.cuda.device_count() < 2:
    os.environ["ACCELERATE_USE_CPU"] = "yes"  # two processes on the CPU, not two lonely ones

from accelerate import Accelerator, notebook_launcher
from accelerate.utils import set_seed

from looplift import check, show_diff

# %% [markdown]
# ## Two processes, for real
#
# `notebook_launcher(function, args, num_processes=2)` starts two processes and calls your function in each,
# with the same arguments. An `Accelerator` made *inside* the function tells each of them who it is. (Make
# none outside: the launcher refuses to start from a notebook that already has one.)


# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
def introduce():
    accelerator = Accelerator()
    print(f"process {accelerator.process_index} of {accelerator.num_processes}, on {accelerator.device}")


notebook_launcher(introduce, (), num_processes=2)

# %% [markdown]
# You should see a process 0 and a process 1, both "of 2". (The line that the launcher itself prints counts
# what you asked for, and may speak of GPUs that you don't have. Believe the processes.) If you see "of 1"
# twice, the cell above was not run: restart the kernel and begin there.

# %% [markdown]
# ## What changes, and why
#
# **Make an accelerator.** It knows how many processes there are and which device belongs to this one.
#
# ```python
# accelerator = Accelerator(device_placement=True)
# ```
#
# `device_placement` decides whether Accelerate moves things to the device for you. `True` is the default, so
# `Accelerator()` says the same. It's why the next step works.
#
# **Moves out.** Everything that carried a model or a batch to a device by hand goes away:
#
# ```python
# device = torch.device(...)         # out
# model.to(device)                   # out
# inputs = inputs.to(device)         # out
# targets = targets.to(device)       # out
# ```
#
# A loop that names its device runs on that device only. One that doesn't runs anywhere.
#
# **`prepare` in.** Hand over the objects that take part in training, and go on with what comes back, in the
# same order:
#
# ```python
# model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
# ```
#
# - the **model** comes back on the device, and averages its gradients over all processes
# - the **optimizer** comes back knowing the accelerator, so that it steps when a step is due
# - the **loader** comes back dealing out batches: this process gets its share, already on the device
#
# The order of the arguments is free, but you get them back in the order in which you gave them. The old names
# would still work, and that's the trap: a loop over the *old* loader gives every process all the rows, and no
# error.
#
# **`accelerator.backward(loss)`** in place of `loss.backward()`. The accelerator has to know of the backward
# pass: it scales the loss where mixed precision or gradient accumulation ask for it. On a CPU in full
# precision the difference doesn't show yet. Later in the course it does.

# %% [markdown]
# ## Before and after
#
# | | before | after |
# |---|---|---|
# | devices | moved by hand: `inputs.to(device)`, `targets.to(device)` | placed by `accelerator.prepare(model, ...)` |
# | rows | one process reads them all | dealt out by `accelerator.prepare(..., train_loader)` |
# | gradients | `loss.backward()` | `accelerator.backward(loss)`, averaged over the processes |
# | runs on | what the code names | CPU, one GPU, many GPUs: the same code |
# | the loop | yours | still yours |
#
# Here is the whole change on a real program: an image classifier, `before.py` and `after.py` of this lesson.
# Read it slowly, it's short. In the lesson's folder you can run both: `python before.py`, and
# `accelerate launch after.py`, which uses all GPUs of the machine, or one process on the CPU. (Two processes
# on the CPU, from a terminal: `ACCELERATE_USE_CPU=yes torchrun --nproc_per_node 2 after.py`.)

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("01_first_loop")

# %% [markdown]
# ## Your loop
#
# Yours is another program: it reads short product reviews and learns which are pleased. The model is a
# DistilBERT, made so small that a CPU trains it in seconds. These two functions give you the data and the
# model. Call them *inside* your loop, so that each process makes its own, from the same seed.

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.reviews import review_loaders
from looplift.material.text import text_model

LEARNING_RATE = 0.05


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with input_ids, attention_mask and labels."""
    return review_loaders(batch_size)


def make_model():
    """A tiny DistilBERT with two classes: 1 is pleased, 0 is not."""
    return text_model()


# %% [markdown]
# And this is the plain loop that you start from.


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=16, epochs=3, seed=42):
    """Train on one device, everything moved by hand."""
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
            outputs = model(**batch)
            loss = outputs.loss
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
plain_loop()

# %% [markdown]
# ## Your turn
#
# Write `training_loop` so that it does what `plain_loop` does, on any number of processes. Copy the body of
# `plain_loop` as a start, then go through the steps above.


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=16, epochs=3, seed=42):
    """What plain_loop does, on any number of processes."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            outputs = model(**batch)
            loss = outputs.loss
            accelerator.backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# Now on two processes. The arguments are a tuple, in the order of the function's parameters. Every line
# should come twice, with two different losses: both processes print, and each has another share of the rows.
# (How to print once is in lesson 03.)

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
# Go through `plain_loop` and mark every line that has `device` or `.to(` in it, and the line with
# `.backward`. Those are the only lines that change or go. One thing has to be made before everything else,
# and one line has to come after the optimizer and before the first epoch.
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - After `set_seed`: make the accelerator, inside the function.
# - Take out the line with `torch.device`, the line with `model.to`, and the line that moves the batch.
# - After the optimizer is made: one call of `accelerator.prepare` with the three objects that train. Give the
#   results the same three names.
# - In the loop: the accelerator does the backward.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# set_seed(seed)
# accelerator = ...
# train_loader, eval_loader = get_dataloaders(batch_size)
# model = make_model()
# optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
# ..., ..., ... = accelerator.prepare(model, optimizer, train_loader)
# for epoch in range(epochs):
#     ...                               # as in plain_loop, without the line that moves the batch
#             accelerator.backward(...)
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Each check really launches your function, on one process and on two, and looks at what happened. Ten points
# in all. Mend the first thing that it names, then run it again.
#
# **1 point:** the accelerator is made once, inside the function.

# %% nbgrader={"grade": true, "grade_id": "check-one_accelerator", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("one_accelerator", training_loop)

# %% [markdown]
# **2 points:** every backward goes through the accelerator.

# %% nbgrader={"grade": true, "grade_id": "check-backward", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("backward", training_loop)

# %% [markdown]
# **2 points:** no line moves anything to a device by hand.

# %% nbgrader={"grade": true, "grade_id": "check-no_manual_moves", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("no_manual_moves", training_loop)

# %% [markdown]
# **2 points:** model, optimizer and training loader go through `prepare`.

# %% nbgrader={"grade": true, "grade_id": "check-prepared", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("prepared", training_loop)

# %% [markdown]
# **3 points:** two processes train one model, the same that one process would train on batches twice as
# large.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# ## What you take along
#
# - Make the accelerator inside the function, hand model, optimizer and loader to `prepare`, and use what
#   comes back.
# - Two processes with batches of 16 take the same step as one process with batches of 32: the batch size that
#   you write is the share of one process.
# - A launch that ends without an error proves little. That two processes found each other, that they read
#   different rows, and that their weights stay equal: that's what the last check looked at.
#
# In lesson 02 a learning-rate schedule joins, and counts its steps differently from what you'd expect.
