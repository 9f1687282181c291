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
#     lesson: 04_notebook_launch
#     title: A launch from a notebook, whole
#     minutes: 55
#     difficulty: 3
#     teaches: everything inside the function, args as a tuple, num_processes; the config file; debug mode; the traps
#     changes: [Accelerator, accelerator, device]
# ---

# %% [markdown]
# # 04 · A launch from a notebook, whole
#
# **About 55 minutes · difficulty 3 of 5**
#
# So far the launch stood there already. This time you write it yourself, and the function that it launches,
# from the seed to the last printed line: the whole of Accelerate's notebook tutorial, on other data. Most of
# it you know from lessons 01 to 03. What is new is the border between two worlds: your notebook, which is one
# process, and the processes that the launcher starts from it.

# %% [markdown]
# ## What you know
#
# From lesson 01: make the accelerator inside the function, `prepare` what trains. From lesson 02: count the
# steps of a schedule before `prepare`. From lesson 03: gather for metrics, print once.
#
# The next cell is the one from lesson 01.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import multiprocessing
import os
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import torch

if torch.cuda.device_count() < 2:
    os.environ["ACCELERATE_USE_CPU"] = "yes"  # two processes on the CPU, not two lonely ones

from accelerate import Accelerator, notebook_launcher
from accelerate.utils import set_seed, write_basic_config
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import OneCycleLR

from looplift import check, show_diff

# %% [markdown]
# ## Once for each machine: the config file
#
# `accelerate config`, typed into a terminal, asks what kind of machine this is and writes the answers down.
# `write_basic_config()` does so without a question, with what it finds. Both write
# `accelerate/default_config.yaml` in the cache folder of Hugging Face: `~/.cache/huggingface`, or where
# `HF_HOME` points. An existing file is left alone. Here it's written somewhere else, so that yours isn't touched,
# and by a process of its own, because it looks for GPUs:


# %% nbgrader={"grade": false, "grade_id": "config", "locked": true, "schema_version": 3, "solution": false, "task": false}
def show_config():
    with tempfile.TemporaryDirectory() as folder:
        path = write_basic_config(save_location=f"{folder}/default_config.yaml")
        print(path.read_text())


process = multiprocessing.get_context("fork").Process(target=show_config)
process.start()
process.join()

# %% [markdown]
# Who reads it? `accelerate launch`, in a terminal. **`notebook_launcher` doesn't**: it knows only what you tell it
# in the call. To go by the file, save your function as a script and type `accelerate launch script.py`.
#
# The tutorial's first cell ends with `os._exit(00)`. This ends the notebook's process on the spot, and Jupyter
# starts a new one. It is there because looking for devices may have started CUDA, and a process that has used
# CUDA can't be forked any more. "Restart Kernel" in the menu does the same.

# %% [markdown]
# ## What changes, and why
#
# `notebook_launcher(function, args, num_processes=2)` forks your notebook's process twice. Each copy has
# everything that the notebook has so far, calls `function(*args)`, and is gone when the function ends. So:
#
# **Whatever touches a device belongs into the function**: the accelerator, and all that goes to its device. An
# accelerator in the notebook itself has decided already that it is alone, and the launcher refuses to start
# others from it.
#
# **The seed comes first.** The loaders split the rows with random numbers, and the model's head begins with
# random numbers. Only after `set_seed(seed)` do all processes draw the same ones.
#
# **`args` is a tuple**, one value for each parameter. `args=16` is a number and can't be opened; `("no")` is no
# tuple but a text, which is opened letter by letter. It takes a comma: `("no",)`.
#
# **Nothing comes back.** What the function returns is dropped: the launcher always gives `None`. And what it
# writes into variables of the notebook, it writes into its own copy:

# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
seen = []


def look(name):
    accelerator = Accelerator()
    seen.append(name)
    accelerator.print(f"one line for {accelerator.num_processes} processes; in the first one seen is {seen}")


notebook_launcher(look, ("hello",), num_processes=2)
print("in the notebook, afterwards:", seen)

# %% [markdown]
# To keep a number, let the main process write it to a file. Here, as in the tutorial, it's enough to print it.
#
# **Constants go to `accelerator.device`.** Model and batches are moved for you; a tensor that you make yourself
# is in neither. `.to(accelerator.device)` is the one move that is left in the whole function. On a CPU you'd
# never notice that it is missing. On a GPU the first batch would: "Expected all tensors to be on the same device".
#
# **A frozen body** is frozen before `prepare`, parameter by parameter. What has `requires_grad = False` gets no
# gradient, and the processes needn't talk about it. (`model.distilbert.requires_grad = False` freezes nothing:
# it just gives the module an attribute of that name.)
#
# ### When it doesn't start
#
# | what you see | what it is | what to do |
# |---|---|---|
# | "the `Accelerator` should only be initialized inside your training function" | a cell made one, or called `training_loop(...)`, or launched it on one process | restart the kernel, run the cells in order |
# | "Cannot re-initialize CUDA in forked subprocess", "CUDA has been initialized before" | a cell, or an import, used a GPU | move it into the function, restart |
# | "You have to specify the number of devices" | `num_processes` is missing | add it |
# | "argument after * must be an iterable", "takes 1 positional argument but 3 were given" | `args` is no tuple, or doesn't fit | one value for each parameter |
# | "EADDRINUSE", port 29500 | another notebook is training on this machine | `use_port="29511"`, or wait |
#
# If you can't find the cell that uses the GPU, set `os.environ["ACCELERATE_DEBUG_MODE"] = "true"`: before it
# starts your function the launcher then starts an empty one, and says when that fails already. With
# Accelerate 1.15 it must be the word `true`; `1` and `yes`, which the documentation names, switch on another
# check only.
#
# The tutorial's first argument is `"fp16"`. On a GPU that is half precision; on a CPU Accelerate takes it
# without a word and computes as ever. Here you pass `"no"`. Whatever you pass has to reach
# `Accelerator(mixed_precision=...)`: the launcher's own argument of that name doesn't.

# %% [markdown]
# ## Before and after
#
# The tutorial's own program: pets, a backbone that knows animals and stays as it is, a new head.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("04_notebook_launch")

# %% [markdown]
# ## Your loop
#
# Yours reads product reviews. Its DistilBERT has a body, `model.distilbert`, which stays as it is, and a head,
# which learns. An unhappy buyer counts for more than a happy one: each row's loss is multiplied by the weight
# of its class.

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.reviews import split_reviews
from looplift.material.text import text_model

EPOCHS = 5
MAX_LR = 4e-2


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with input_ids, attention_mask and labels, split at random."""
    return split_reviews(batch_size)


def make_model():
    """A tiny DistilBERT with two classes: 1 is a good review, 0 a bad one."""
    return text_model()


def class_weights():
    """How much a row of class 0 and of class 1 counts, on the CPU."""
    return torch.tensor([1.2, 0.8])


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(seed=42, batch_size=16):
    """Train the head on one device, and print the accuracy after each epoch, in percent."""
    set_seed(seed)
    # In a script you'd write "cuda" where there is one; a notebook that has touched CUDA can't be forked.
    device = torch.device("cpu")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    for parameter in model.distilbert.parameters():
        parameter.requires_grad = False
    model.to(device)
    weights = class_weights().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=EPOCHS, steps_per_epoch=len(train_loader))

    for epoch in range(EPOCHS):
        model.train()
        for batch in train_loader:
            batch = {name: column.to(device) for name, column in batch.items()}
            labels = batch.pop("labels")
            losses = cross_entropy(model(**batch).logits, labels, reduction="none")
            loss = (losses * weights[labels]).mean()
            loss.backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()

        model.eval()
        accurate, counted = 0, 0
        for batch in eval_loader:
            batch = {name: column.to(device) for name, column in batch.items()}
            labels = batch.pop("labels")
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            accurate += (predictions == labels).sum().item()
            counted += len(labels)
        print(f"epoch {epoch}: {100 * accurate / counted:.2f}")


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
plain_loop()

# %% [markdown]
# ## Your turn
#
# Write `training_loop`, which does the same on any number of processes. It has one parameter more: the first,
# `mixed_precision`, is for the accelerator. Let it say first on how many processes it trains: the launcher's own
# line counts "CUDAs", even where there are none. Before you type, ask of each line of `plain_loop`: does it touch
# a device, and who moves that now?


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(mixed_precision="no", seed=42, batch_size=16):
    """What plain_loop does, on any number of processes."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=mixed_precision)
    accelerator.print(f"training on {accelerator.num_processes} processes")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    for parameter in model.distilbert.parameters():
        parameter.requires_grad = False
    weights = class_weights().to(accelerator.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=EPOCHS, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, eval_loader, scheduler
    )

    for epoch in range(EPOCHS):
        model.train()
        for batch in train_loader:
            labels = batch.pop("labels")
            losses = cross_entropy(model(**batch).logits, labels, reduction="none")
            loss = (losses * weights[labels]).mean()
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()

        model.eval()
        accurate, counted = 0, 0
        for batch in eval_loader:
            labels = batch.pop("labels")
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            predictions, labels = accelerator.gather_for_metrics((predictions, labels))
            accurate += (predictions == labels).sum().item()
            counted += len(labels)
        accelerator.print(f"epoch {epoch}: {100 * accurate / counted:.2f}")
    ### END SOLUTION


# %% [markdown]
# ## Your launch
#
# Launch `training_loop` on two processes: without mixed precision, with the seed 42, and with 16 rows in a
# batch. Two lines are enough. You should see one line for each epoch, and the accuracy rise.

# %% nbgrader={"grade": false, "grade_id": "launch", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
args = ("no", 42, 16)
notebook_launcher(training_loop, args, num_processes=2)
### END SOLUTION

# %% [markdown]
# ## Hints
#
# Open them one after the other, and only as many as you need.
#
# <details>
# <summary>Hint 1: where to look</summary>
#
# Go through `plain_loop` and mark each `device`. The model's and the batches' are lesson 01's. One is left:
# it belongs to a tensor that neither `prepare` nor a loader knows of.
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - Seed, accelerator, loaders, model, freezing, weights, optimizer, scheduler, `prepare`: in this order.
# - Five objects go through `prepare`. The class weights don't: they go to `accelerator.device`.
# - Training: only the backward is the accelerator's.
# - Evaluation: gather predictions and labels for metrics, in one call, then count as before.
# - The launch gets three things: the function's name without brackets, a tuple of three values in the order of
#   the parameters, and the number of processes by name.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# set_seed(seed)
# accelerator = Accelerator(mixed_precision=...)
# ...
# weights = class_weights().to(...)
# optimizer = ...
# scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=EPOCHS, steps_per_epoch=len(...))
# model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(...)
# ...
# predictions, labels = accelerator.gather_for_metrics((..., ...))
# ```
#
# and, in the launch cell,
#
# ```python
# args = (..., ..., ...)
# notebook_launcher(training_loop, args, num_processes=...)
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again. After a change of the launch
# cell run that cell, too: the check launches once more what you launched last.
#
# **2 points:** your launch starts `training_loop` on two processes, with arguments that fit.

# %% nbgrader={"grade": true, "grade_id": "check-launched", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("launched", training_loop)

# %% [markdown]
# **1 point:** each process sets the seed first and makes its own accelerator.

# %% nbgrader={"grade": true, "grade_id": "check-seeded", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("seeded", training_loop)

# %% [markdown]
# **1 point:** the class weights are on `accelerator.device`, and nothing else is moved by hand.

# %% nbgrader={"grade": true, "grade_id": "check-moves", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("moves", training_loop)

# %% [markdown]
# **1 point:** what trains goes through `prepare`.

# %% nbgrader={"grade": true, "grade_id": "check-prepared", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("prepared", training_loop)

# %% [markdown]
# **1 point:** the head is trained, and the body stays as it is.

# %% nbgrader={"grade": true, "grade_id": "check-head_only", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("head_only", training_loop)

# %% [markdown]
# **2 points:** two processes train one model, the plain loop's, with its learning rate.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# **2 points:** the accuracy is printed once an epoch, and counts every row once.

# %% nbgrader={"grade": true, "grade_id": "check-accuracy", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("accuracy", training_loop)

# %% [markdown]
# ## What you take along
#
# - The notebook defines, the processes do: seed, accelerator, data, model and constants are made in the function.
# - The launcher gets the function, a tuple, and a number. It reads no config file and gives nothing back.
# - When a launch is refused, restart the kernel first: what was wrong before is still in the process.
