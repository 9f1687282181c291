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
#     lesson: 06_trainer_or_loop
#     title: Trainer, or a loop of your own
#     minutes: 40
#     difficulty: 3
#     teaches: Trainer, plain loop and Accelerate compared; a loss over the rows of all processes
#     changes: [Accelerator, accelerator, device, batch, model, loss]
# ---

# %% [markdown]
# # 06 · Trainer, or a loop of your own
#
# **About 40 minutes · difficulty 3 of 5**
#
# transformers has a `Trainer`: you say what you want, and it trains, on any number of devices. Then why write a loop?
# Because one day you want something that nobody thought of. Here you train one model three ways, see what each asks
# of you and what it leaves to you, and then write a loss that `Trainer` has no argument for.

# %% [markdown]
# ## What you know
#
# From lesson 01: `prepare` what trains, and let the accelerator do the backward. The gradients of the processes are
# **averaged**, so a step of two processes with 8 rows each is the step of one with 16, as long as the loss is a mean
# over rows.
#
# From lesson 02: a schedule is counted before `prepare`, and goes through it.
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
from torch.nn.functional import cross_entropy

from looplift import check, show_diff, try_ways

# %% [markdown]
# ## One training, three ways
#
# Beside this notebook's lesson lie three programs that do the same work: the same sentence pairs in the same order,
# AdamW, a rate that falls to zero, gradients clipped to 1. They end with the same weights.
#
# - `trainer.py` fills in a form, `TrainingArguments`, and calls `trainer.train()`. The loop is inside.
# - `before.py` has the plain loop, on one device.
# - `after.py` has the same loop with Accelerate. (`Trainer` has an `Accelerator` inside, too.)
#
# Run them, one epoch each. While they run it is counted how many statements `train` has, and how many of them run
# for every batch. The first number is what you have to write, so few are *easy*. The second is where you can change
# something between two batches, so many are *free*. It takes half a minute; each runs in a process of its own, since
# `Trainer` would make an `Accelerator` here in the kernel, and then nothing could be launched any more.

# %% nbgrader={"grade": false, "grade_id": "ways", "locked": true, "schema_version": 3, "solution": false, "task": false}
try_ways("06_trainer_or_loop")

# %% [markdown]
# Read the chart from the upper left. `Trainer` is the easiest, and not one statement of yours runs while it trains. The
# two loops are equally free. Between them, Accelerate costs hardly a statement more or less, and is the only one of the
# two that runs on any number of devices.
#
# `Trainer` can be bent: it has arguments for a great many things, callbacks that are told when something happens, and
# methods that a subclass may replace. That goes well while your idea fits between its steps. It does not fit when
# there are two networks that train each other (lesson 05), or when the loss needs something that isn't handed over.

# %% [markdown]
# ## Before and after
#
# The two loops, side by side. Nothing in them is new; note that every statement stays yours.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("06_trainer_or_loop")

# %% [markdown]
# ## Your loop
#
# Yours trains on product reviews with a loss of its own. In a batch of 8 there may be 6 happy buyers and 2 unhappy
# ones, and a mean over the rows listens to the 6. This loss lets **each class weigh half, in every step**: a row
# weighs 1 over the number of rows of its class.
#
# `Trainer` takes a loss function, `compute_loss_func(outputs, labels, num_items_in_batch)`. It is handed the outputs
# and labels of *one process*, and the number of rows of all. How many rows of each class all processes have,
# together, it isn't told.
#
# In a loop of your own the processes can tell each other. `accelerator.reduce` adds a tensor up over all of them, or
# averages it, and gives each the result:


# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
def tell_each_other():
    accelerator = Accelerator()
    mine = torch.tensor([6, 2]) if accelerator.is_main_process else torch.tensor([5, 3])
    everyone = accelerator.reduce(mine, "sum")
    print(f"process {accelerator.process_index}: {mine.tolist()} of {everyone.tolist()}")


notebook_launcher(tell_each_other, (), num_processes=2)

# %% [markdown]
# This is what you train on:

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.reviews import review_loaders
from looplift.material.text import text_model

LEARNING_RATE = 0.05
CLASSES = 2


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with input_ids, attention_mask and labels."""
    return review_loaders(batch_size)


def make_model():
    """A tiny DistilBERT with two classes: 1 is a good review, 0 a bad one."""
    return text_model()


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=8, epochs=3, seed=42):
    """Train on one device; in every step each class weighs half."""
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
            batch = {name: column.to(device) for name, column in batch.items()}
            labels = batch.pop("labels")
            losses = cross_entropy(model(**batch).logits, labels, reduction="none")  # one for each row
            counts = torch.bincount(labels, minlength=CLASSES)  # rows of each class
            loss = (losses / counts[labels]).sum() / CLASSES
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
plain_loop()

# %% [markdown]
# ## Your turn
#
# Write `training_loop`, which trains the same on any number of processes: with two of them and batches of 4 it takes
# the steps of `plain_loop` with batches of 8. Each process sees its own rows only. Which numbers in the loss must be
# those of all rows of the step? And the gradients are averaged over the processes: is an average what you want?


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=8, epochs=3, seed=42):
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
            labels = batch.pop("labels")
            losses = cross_entropy(model(**batch).logits, labels, reduction="none")
            counts = accelerator.reduce(torch.bincount(labels, minlength=CLASSES), "sum")  # of all processes
            loss = (losses / counts[labels]).sum() / CLASSES
            optimizer.zero_grad()
            # This process's part of the sum. The parts are averaged, so each has to be that many times larger.
            accelerator.backward(loss * accelerator.num_processes)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {accelerator.reduce(loss.detach(), 'sum').item():.4f}")
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# Two processes, batches of 8 on each: a step learns from 16 rows.

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
# Write down the loss of `plain_loop` for 16 rows, 11 of one class and 5 of the other. Now deal the rows out: 8 to one
# process (6 and 2), 8 to the other (5 and 3). What does a row weigh in `plain_loop`? What does it weigh if each
# process counts its own rows?
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - The counts have to be those of all processes. `accelerator.reduce(tensor, "sum")` adds a tensor up over them and
#   gives every process the sum. It returns a new tensor.
# - The rows' losses stay where they are: nothing that backward has to go through may be gathered.
# - What is left is a sum over this process's rows. Backward averages the processes' gradients, and the average of two
#   parts is half of their sum.
# - Everything else is lesson 01.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# losses = cross_entropy(model(**batch).logits, labels, reduction="none")
# counts = accelerator.reduce(torch.bincount(...), ...)
# loss = (losses / counts[labels]).sum() / CLASSES
# accelerator.backward(loss * ...)
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again.
#
# **2 points:** model, optimizer and loader go through `prepare`.

# %% nbgrader={"grade": true, "grade_id": "check-prepared", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("prepared", training_loop)

# %% [markdown]
# **4 points:** each class weighs half in a step, counted over the rows of all processes.

# %% nbgrader={"grade": true, "grade_id": "check-weighed", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("weighed", training_loop)

# %% [markdown]
# **3 points:** two processes train one model, and it is the plain loop's.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# **1 point:** one process trains what the plain loop trains.

# %% nbgrader={"grade": true, "grade_id": "check-one_process", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("one_process", training_loop)

# %% [markdown]
# ## What you take along
#
# - `Trainer` when your idea fits its arguments: it is the least to write. A loop of your own when it doesn't.
# - Accelerate keeps the loop yours, and the same loop runs on one device or on many.
# - A loss that is a mean over rows needs nothing. One that divides by something counted needs that number from all
#   processes.
# - The gradients are averaged, not added up. A loss that is a sum has to make up for that.
