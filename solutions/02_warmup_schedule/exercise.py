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
#     lesson: 02_warmup_schedule
#     title: A learning rate that warms up
#     minutes: 35
#     difficulty: 2
#     teaches: a scheduler in prepare; steps counted before it; linear warm-up over a tenth
#     changes: [Accelerator, accelerator, device]
# ---

# %% [markdown]
# # 02 · A learning rate that warms up
#
# **About 35 minutes · difficulty 2 of 5**
#
# In lesson 01 the learning rate stood still. Now it moves: up at first, then down to zero. A schedule counts
# steps, and on two processes there are two ways to count them. This lesson is about counting on the right
# side of `prepare`.

# %% [markdown]
# ## What you know
#
# From lesson 01: make the accelerator inside the function, hand model, optimizer and loader to `prepare`, use
# what comes back, and let the accelerator do the backward.
#
# From plain PyTorch: a scheduler is made from an optimizer and told how long the training will be. You call
# `scheduler.step()` after every `optimizer.step()`, and it sets the optimizer's learning rate for the next
# batch.
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
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import OneCycleLR
from transformers import get_linear_schedule_with_warmup

from looplift import check, show_diff

# %% [markdown]
# ## What changes, and why
#
# Fine-tuning a DistilBERT usually looks like this: Adam, and a learning rate that climbs in a straight line
# for the first tenth of the training and then falls in a straight line to zero. The climb keeps Adam's first
# steps small, while it still knows little about the size of the gradients.
#
# **Count the steps, before `prepare`.**
#
# ```python
# optimizer = torch.optim.Adam(params=model.parameters(), lr=learning_rate)
#
# num_training_steps = len(train_loader) * epochs
# num_warmup_steps = int(0.1 * num_training_steps)
# lr_scheduler = get_linear_schedule_with_warmup(
#     optimizer=optimizer, num_warmup_steps=num_warmup_steps, num_training_steps=num_training_steps
# )
# ```
#
# **Hand the scheduler to `prepare` too**, together with its optimizer.
#
# ```python
# model, optimizer, train_loader, lr_scheduler = accelerator.prepare(
#     model, optimizer, train_loader, lr_scheduler
# )
# ```
#
# **The loop stays as it is**: `lr_scheduler.step()` after `optimizer.step()`, once for each batch.

# %% [markdown]
# ### Why a prepared scheduler moves N steps at a time
#
# Take 24 batches in an epoch and 3 epochs: the schedule is made for 72 steps. On two processes the prepared
# loader deals the batches out, and each process gets 12 of them. So there are only 36 updates, each made from
# two batches, one on each process. A schedule of 72 steps that moved by one at each update would end in its
# middle.
#
# Accelerate's answer: `step()` of a prepared scheduler moves as many steps as there are processes. 36 calls,
# two steps each, make 72: the schedule ends when the training does. With one process it moves one step, and
# nothing has changed. You count batches once, as you always did, and the number of processes never enters
# your code.
#
# See it for yourself: 20 steps, two of them for the climb, the highest rate is 1.


# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
def show_rates():
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=1.0)
    scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=2, num_training_steps=20)
    optimizer, scheduler = accelerator.prepare(optimizer, scheduler)
    rates = []
    for _ in range(20 // accelerator.num_processes):
        rates.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
    listed = ", ".join(f"{rate:.2f}" for rate in rates)
    last = scheduler.get_last_lr()[0]
    accelerator.print(
        f"{len(rates)} updates on {accelerator.num_processes} processes:\n{listed}, then {last:.2f}"
    )


notebook_launcher(show_rates, (), num_processes=2)

# %% [markdown]
# Ten updates, and the rate reaches zero after the last one. Two choices make four programs, and three of them
# are worth knowing. On two processes:
#
# | length counted | scheduler prepared | what happens |
# |---|---|---|
# | before `prepare` | yes | ends with the training |
# | after `prepare` | yes | half as long and twice as fast: at zero half-way, the second half learns nothing |
# | before `prepare` | no | moves one step at a time: still at half of its height when the training ends |
# | after `prepare` | no | also right, but now the code depends on where the count stands |
#
# None of them raises an error. The loss just ends a little higher than it could.
#
# One exception: a scheduler that you step once an *epoch*, or by a validation loss, counts epochs, and there
# are as many of them on two processes as on one. Leave such a scheduler out of `prepare`.

# %% [markdown]
# ## Before and after
#
# Here is the whole change on a real program: DistilBERT learns whether two sentences mean the same. Four
# things of lesson 01 and one new one. Watch what stands *above* `prepare`.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("02_warmup_schedule")

# %% [markdown]
# ## Your loop
#
# Yours has other data and another schedule: pictures of pets, a small network that already knows what animals
# look like, and PyTorch's `OneCycleLR`. It climbs for about a third of the training and falls for the rest,
# along a curve. It isn't told one number of steps but two, `epochs` and `steps_per_epoch`, and multiplies
# them itself.

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.backbone import create_pet_model
from looplift.material.pets import label_maps, pet_files, pet_loaders

MAX_LR = 4e-3

id_to_label, label_to_id = label_maps(pet_files())


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with image and label."""
    return pet_loaders(batch_size)


def make_model():
    """A small network with a class for each breed: images in, logits out."""
    return create_pet_model(num_classes=len(label_to_id))


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=16, epochs=3, seed=42):
    """Train on one device with one cycle of the learning rate."""
    set_seed(seed)
    # In a script you'd write "cuda" where there is one; a notebook that has touched CUDA can't be forked.
    device = torch.device("cpu")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            images, labels = batch["image"].to(device), batch["label"].to(device)
            loss = cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}, learning rate {scheduler.get_last_lr()[0]:.1e}")


# %% [markdown]
# Run it, and keep an eye on the learning rate of the last line: next to nothing is left of it.

# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
plain_loop()

# %% [markdown]
# ## Your turn
#
# Write `training_loop` so that it does what `plain_loop` does, on any number of processes: the learning rate
# goes through the same cycle, and it's through when the training is.


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=16, epochs=3, seed=42):
    """What plain_loop does, on any number of processes."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}, learning rate {scheduler.get_last_lr()[0]:.1e}")
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# The learning rates should be those of `plain_loop`, epoch by epoch. Each line comes twice, once from each
# process.

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
# Do what you did in lesson 01 first. Then find the one expression in `plain_loop` whose value is another one
# after `prepare`, and ask which of the two values the schedule was made for.
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - The order is: loaders, model, optimizer, scheduler, `prepare`, epochs.
# - `len(train_loader)` is read when the scheduler is made, so it's the length before `prepare`.
# - `prepare` gets four objects now and gives four back.
# - Inside the loop nothing about the scheduler changes: one `step()` for each batch. Don't divide or multiply
#   by the number of processes anywhere.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
# scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(...))
# model, optimizer, train_loader, ... = accelerator.prepare(...)
# for epoch in range(epochs):
#     model.train()
#     for batch in train_loader:
#         optimizer.zero_grad()
#         loss = cross_entropy(model(batch["image"]), batch["label"])
#         ...
#         optimizer.step()
#         scheduler.step()
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again.
#
# **2 points:** model, optimizer and training loader are what `prepare` made of them.

# %% nbgrader={"grade": true, "grade_id": "check-prepared", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("prepared", training_loop)

# %% [markdown]
# **4 points:** the learning rate of every update is the one that the plain loop would have used there.

# %% nbgrader={"grade": true, "grade_id": "check-learning_rates", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("learning_rates", training_loop)

# %% [markdown]
# **3 points:** two processes train one model.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# **1 point:** on one process it does exactly what `plain_loop` does.

# %% nbgrader={"grade": true, "grade_id": "check-one_process", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("one_process", training_loop)

# %% [markdown]
# ## What you take along
#
# - A length that goes into a schedule is taken before `prepare`, and the schedule goes through `prepare`.
# - A prepared scheduler moves as many steps at a time as there are processes, because each update stands for
#   as many batches.
# - A wrong schedule raises no error. Print the learning rate, and compare it with the plain loop's.
#
# In lesson 03 the two processes measure what they have learned, and count some rows twice.
