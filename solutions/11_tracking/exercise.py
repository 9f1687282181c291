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
#     lesson: 11_tracking
#     title: One log, one bar, data prepared once
#     minutes: 40
#     difficulty: 3
#     teaches: init_trackers, log, end_training with TensorBoard; main_process_first; one progress bar
#     changes: [Accelerator, accelerator, device, SummaryWriter, writer, mean_loss, tqdm, get_dataloaders]
# ---

# %% [markdown]
# # 11 · One log, one bar, data prepared once
#
# **About 40 minutes · difficulty 3 of 5**
#
# A training that goes on for days is watched from outside: by a log of its loss, by a progress bar. And its data is
# prepared once, before it begins. Each of these is one line in a plain loop. On two processes each line runs twice,
# and then there are two logs, two bars, and a file that two processes write at the same time.

# %% [markdown]
# ## What you know
#
# From lesson 01: `prepare` what trains, let the accelerator do the backward. From lesson 03: what `gather` is for.
#
# From plain PyTorch: `SummaryWriter` writes numbers, each with the step that it belongs to, into files that TensorBoard
# shows as curves. `tqdm` draws a progress bar.
#
# The next cell is the one from lesson 01, with these two.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import torch

if torch.cuda.device_count() < 2:
    os.environ["ACCELERATE_USE_CPU"] = "yes"  # two processes on the CPU, not two lonely ones

from accelerate import Accelerator, notebook_launcher
from accelerate.utils import set_seed
from torch.nn.functional import cross_entropy
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from looplift import check, show_diff, show_log

# %% [markdown]
# ## What changes, and why
#
# Every process runs every line. So of each line ask: who has to do this?
#
# | who | what | how |
# |---|---|---|
# | all, together | whatever needs all of them: `prepare`, `backward`, `gather` | as a line of its own, under no `if` |
# | the main process alone | writing a log, drawing a bar | the tracker sees to it; `disable=not accelerator.is_local_main_process` |
# | the main process first, then the others | preparing a file that all of them read | `with accelerator.main_process_first():` |
#
# **The log.** `Accelerator(log_with="tensorboard", project_dir=...)` says which kind of log, and where.
# `accelerator.init_trackers(name, config)` opens it and stores the hyperparameters that stand in `config`, so that in a
# year you still know what the curve belongs to. `accelerator.log({"loss": ...}, step=...)` writes, and
# `accelerator.end_training()` closes. All of them do their work on the main process and nothing on the others, so you
# call them without an `if`.
#
# **Whose loss?** Each process has a loss of its own, that of its own batch. Log the mean of all of them. See who holds
# what:


# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
def show_losses():
    accelerator = Accelerator()
    loss = torch.tensor(0.25 if accelerator.is_main_process else 0.75)
    every = accelerator.gather(loss)
    whose = f"process {accelerator.process_index}: own {loss.item()}, gathered {every.tolist()}"
    print(f"{whose}, mean {every.mean().item()}\n", end="")


notebook_launcher(show_losses, (), num_processes=2)

# %% [markdown]
# `gather` hands every process the losses of all, as a tensor of two numbers. It waits until every process has called
# it: under an `if` for the main process it waits for ever. And a log takes one number: given two, TensorBoard's tracker
# writes nothing, without a word.
#
# **The step.** A curve is drawn over the optimizer steps. On two processes an epoch has half as many as on one, and the
# numbers go on from epoch to epoch. When they begin again at 0, the curve runs back to its beginning.
#
# **The file.** Whoever finds no prepared file makes one. Without a wait two processes find none at the same moment, and
# both make it. Inside `main_process_first` the main process goes through the block while the others wait; then they
# go through the same block, and find the file. Keep the block short: what stands in it is done one after the other,
# and a line that needs all processes together would wait in it for ever.

# %% [markdown]
# ## Before and after
#
# The sentence pairs of lesson 02 and a DistilBERT. What is prepared there are the tokens.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("11_tracking")

# %% [markdown]
# ## Your loop
#
# Yours learns breeds of pets. Preparing them means to read every picture and shrink it. Here it takes a second, with
# a real data set hours.

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
import shutil
from pathlib import Path

from looplift.material.backbone import create_pet_model
from looplift.material.decoded import decode_pets, decoded_loaders

LEARNING_RATE = 1e-3
LOG_FOLDER = "runs"  # every log belongs into this folder, or into one inside it
PREPARED = "pets.pt"


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with image and label. Prepares the pictures unless the file is there."""
    if not os.path.exists(PREPARED):
        print(f"process {os.getpid()} prepares the pictures\n", end="")
        torch.save(decode_pets(), PREPARED)
    return decoded_loaders(torch.load(PREPARED), batch_size)


def make_model():
    """A small network with a class for each of 12 breeds: images in, logits out."""
    return create_pet_model(num_classes=12)


def start_afresh():
    """Throw away the prepared pictures, and every log but the plain loop's."""
    Path(PREPARED).unlink(missing_ok=True)
    for log in Path(LOG_FOLDER).glob("*"):
        if log.is_file():
            log.unlink()
        elif log.name != "plain":
            shutil.rmtree(log)


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=16, epochs=3, seed=42):
    """Train on one device, with a log of the loss of each step and a bar for each epoch."""
    set_seed(seed)
    # In a script you'd write "cuda" where there is one; a notebook that has touched CUDA can't be forked.
    device = torch.device("cpu")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    writer = SummaryWriter(f"{LOG_FOLDER}/plain")
    writer.add_hparams({"batch_size": batch_size, "epochs": epochs, "learning_rate": LEARNING_RATE}, {})
    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in tqdm(train_loader, desc=f"epoch {epoch}"):
            optimizer.zero_grad()
            images, labels = batch["image"].to(device), batch["label"].to(device)
            loss = cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            writer.add_scalar("loss", loss.item(), step)
            step += 1
    writer.close()
    print(f"1 process took {step} steps")


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
shutil.rmtree(LOG_FOLDER, ignore_errors=True)
plain_loop()
show_log(LOG_FOLDER)

# %% [markdown]
# ## Your turn
#
# Write `training_loop`, which trains the same on any number of processes, writes one log into `LOG_FOLDER`, draws one
# bar at a time, and has the pictures prepared once. Before you type, go through `plain_loop` line by line and decide:
# all together, the main process alone, or the main process first?


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=16, epochs=3, seed=42):
    """What plain_loop does, on any number of processes."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator(log_with="tensorboard", project_dir=LOG_FOLDER)
    with accelerator.main_process_first():
        train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    config = {"batch_size": batch_size, "epochs": epochs, "learning_rate": LEARNING_RATE}
    accelerator.init_trackers("two_processes", config)
    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in tqdm(train_loader, desc=f"epoch {epoch}", disable=not accelerator.is_local_main_process):
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            accelerator.log({"loss": accelerator.gather(loss).mean()}, step=step)
            step += 1
    accelerator.end_training()
    accelerator.print(f"{accelerator.num_processes} processes took {step} steps")
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# Two processes, on a machine that has no prepared file yet. Count the lines that say who prepares it, and the bars.

# %% nbgrader={"grade": false, "grade_id": "launch", "locked": true, "schema_version": 3, "solution": false, "task": false}
start_afresh()
args = (16, 3, 42)
notebook_launcher(training_loop, args, num_processes=2)

# %% [markdown]
# Both curves, from the logs. Yours has half as many steps, each over twice as many rows.

# %% nbgrader={"grade": false, "grade_id": "look", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_log(LOG_FOLDER)

# %% [markdown]
# ## Hints
#
# Open them one after the other, and only as many as you need.
#
# <details>
# <summary>Hint 1: where to look</summary>
#
# Besides the lines that you know from lesson 01, five lines of `plain_loop` do something that is seen from outside:
# the one that gets the loaders, the two that begin the log, the bar, the one that writes, the one that closes. For
# each of them: what would go wrong if two processes did it, at the same moment?
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - The kind of log and its folder go into the accelerator, when it is made.
# - Only the line with `get_dataloaders` goes into the block of `main_process_first`.
# - `init_trackers` before the first `log`; `end_training` after the last. No `if` around any of them.
# - The mean of all losses is made by all processes, and then handed to `log`, with the step.
# - The bar gets a `disable`.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# accelerator = Accelerator(log_with=..., project_dir=LOG_FOLDER)
# with accelerator.main_process_first():
#     ...
# ...
# accelerator.init_trackers("two_processes", {"batch_size": ..., "epochs": ..., "learning_rate": ...})
# ...
#     for batch in tqdm(train_loader, desc=f"epoch {epoch}", disable=...):
#         ...
#         accelerator.log({"loss": accelerator.gather(loss)...}, step=...)
#         step += 1
# accelerator...
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again.
#
# **2 points:** the rows are prepared once, and whoever needs them waits for that.

# %% nbgrader={"grade": true, "grade_id": "check-prepared_once", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("prepared_once", training_loop)

# %% [markdown]
# **2 points:** two processes train one model, and it is the plain loop's.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# **2 points:** one process writes a log into `LOG_FOLDER`, stores the hyperparameters in it, and closes it.

# %% nbgrader={"grade": true, "grade_id": "check-one_log", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("one_log", training_loop)

# %% [markdown]
# **3 points:** each step is in the log once, with the mean loss of all processes.

# %% nbgrader={"grade": true, "grade_id": "check-every_step", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("every_step", training_loop)

# %% [markdown]
# **1 point:** one process draws bars, and they fill up.

# %% nbgrader={"grade": true, "grade_id": "check-one_bar", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("one_bar", training_loop)

# %% [markdown]
# ## What you take along
#
# - Of each line: who has to do this? All together, the main process alone, or the main process first.
# - `log_with`, `init_trackers`, `log`, `end_training` need no `if`. The `gather` before `log` must not have one.
# - A log takes one number for each step: the mean of all processes' losses, under a step number that never goes back.
# - Another kind of log is another word in `log_with`.
