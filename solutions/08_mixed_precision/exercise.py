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
#     lesson: 08_mixed_precision
#     title: Half the bits, the same training
#     minutes: 45
#     difficulty: 3
#     teaches: mixed_precision, accelerator.autocast, a loss in float32; clipping under a scaler
#     changes: [Accelerator, accelerator, device, dtype, mixed, scaler, autocast, logits, optimizer, MAX_NORM]
# ---

# %% [markdown]
# # 08 · Half the bits, the same training
#
# **About 45 minutes · difficulty 3 of 5**
#
# A GPU multiplies matrices several times as fast in 16 bits as in 32, and they take half the memory. So the large
# products of a training are computed in 16 bits, and what can't bear it stays in 32: *mixed* precision. By hand that
# is an `autocast` block and, for one of the two 16-bit formats, a `GradScaler` that you call at four places in the
# right order. Accelerate has one argument for it. What is left for you is to know where it reaches, and where it must
# not.

# %% [markdown]
# ## What you know
#
# From lesson 01: `prepare` what trains, and let the accelerator do the backward. From lesson 07: clip a gradient when
# it is whole, between backward and step.
#
# From plain PyTorch, perhaps: there are two formats of 16 bits.
#
# | | numbers up to | next number after 1 | smallest | needs |
# |---|---|---|---|---|
# | `float32` | 3e38 | 1.0000001 | 1e-45 | |
# | `bfloat16` ("bf16") | 3e38 | 1.0078 | 9e-41 | a GPU of the last years, or any CPU |
# | `float16` ("fp16") | 65504 | 1.001 | 6e-8 | a GPU, and a scaler: gradients are often smaller than 6e-8 |
#
# A scaler multiplies the loss by a large number (65536 at first) before backward, so that small gradients don't become
# zero. Before anybody *uses* the gradients they must be divided by it again.
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
from torch.nn.functional import cross_entropy, nll_loss
from torch.nn.utils import clip_grad_norm_

from looplift import check, show_diff

# %% [markdown]
# ## What changes, and why
#
# **The accelerator is told the precision**: `Accelerator(mixed_precision="bf16")`. From then on
#
# - the forward pass of a model that went through `prepare` runs in autocast, and what it gives back is made `float32`
#   again;
# - `accelerator.backward(loss)` scales the loss, `accelerator.clip_grad_norm_(...)` divides the gradients by the scale
#   before it clips, and `optimizer.step()` of the prepared optimizer leaves a step out when the scaled gradients had
#   run over. All this only where there is a scaler, which means: under fp16, on a GPU.
#
# The weights stay in `float32`: many a step changes a weight by less than one part in 256, and bf16 would round that
# away.
#
# It is easy to believe that one computes in 16 bits and not to. Look, on two processes:


# %% nbgrader={"grade": false, "grade_id": "see", "locked": true, "schema_version": 3, "solution": false, "task": false}
def look(asked):
    accelerator = Accelerator(mixed_precision=asked)
    layer = torch.nn.Linear(8, 8)
    seen = []
    inner = torch.nn.Sequential(layer, torch.nn.Identity())
    layer.register_forward_hook(lambda layer, given, out: seen.append(out.dtype))
    out = accelerator.prepare(inner)(torch.ones(2, 8))
    said = f"asked for {asked}, the accelerator says {accelerator.mixed_precision!r}"
    accelerator.print(
        f"{said}: weights {layer.weight.dtype}, computed in {seen[0]}, given back as {out.dtype}"
    )


for asked in ("bf16", "fp16"):
    notebook_launcher(look, (asked,), num_processes=2)
notebook_launcher(look, (None,), num_processes=2, mixed_precision="bf16")  # asks the launcher instead

# %% [markdown]
# Three answers, measured with the versions that this course was tried with (accelerate 1.15, torch 2.14):
#
# - **"bf16"** is real, on a CPU too: the layer computed in `bfloat16`, from weights in `float32`, and the model gave
#   `float32` back.
# - **"fp16"** does nothing on a CPU. The accelerator says "fp16" and everything is computed in `float32`, without a
#   warning. No mistake with a scaler shows on a CPU by itself.
# - **The launcher's argument** `mixed_precision="bf16"` has no effect in accelerate 1.15. `notebook_launcher` exports
#   it as `MIXED_PRECISION`, and an `Accelerator` reads `ACCELERATE_MIXED_PRECISION`. (`accelerate launch
#   --mixed_precision bf16` does set that one.) Say it to the `Accelerator`, and no one can miss it.
#
# **What is not prepared is not reached.** A network that isn't trained has no business in `prepare`: it is called as it
# is, in `float32`, however large it is. `with accelerator.autocast():` around the call makes it compute in the
# accelerator's precision, whichever that is.
#
# **What must be exact stays outside.** In an autocast block every matrix product is rounded to 16 bits, also one in
# your loss. Between 0.996 and 1 there is no number in bf16: a chance of 0.999 becomes 1, and its logarithm 0. So take
# the loss outside, from logits in `float32`.

# %% [markdown]
# ## Before and after
#
# The sentence pairs of lesson 02. While the model trains, an average of its weights is kept, and that is what is
# measured. Look for the one place where `after.py` still asks for autocast, and why.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("08_mixed_precision")

# %% [markdown]
# ## Your loop
#
# Pets again. A large pretrained network, the *backbone*, makes 256 features of each picture; it is frozen. A small
# *head* makes the breed of them, and only the head is trained. Nearly all the work is done in the backbone.
#
# The loss has two parts: how wrong the breed is, and how wrong the *species* is. The chances of all cats are summed up,
# and those of all dogs, which is a matrix product.

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.pets import pet_loaders
from looplift.material.species import FrozenPetNet, pet_head, species_table

PRECISION = "bf16"
LEARNING_RATE = 0.2
MAX_NORM = 0.5
SPECIES = species_table()  # [12, 2]: a row for each breed, with a 1 in the column of its species


def get_dataloaders(batch_size):
    """(train_loader, eval_loader): batches with image and label."""
    return pet_loaders(batch_size)


def make_backbone():
    """A pretrained network that is frozen: images in, 256 features out."""
    return FrozenPetNet()


def make_model():
    """The head, which is trained: features in, logits of twelve breeds out."""
    return pet_head()


def pet_loss(logits, labels):
    """How wrong the breeds are, and how wrong the species: who takes a cat for another cat is half right."""
    species = logits.softmax(dim=-1) @ SPECIES.to(logits)  # the chances of "cat" and of "dog"
    right = SPECIES.argmax(dim=-1).to(labels.device)[labels]
    return cross_entropy(logits, labels) + nll_loss(species.log(), right)


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=16, epochs=2, seed=42):
    """Train the head on one device, in mixed precision by hand."""
    set_seed(seed)
    # In a script you'd write "cuda" where there is one; a notebook that has touched CUDA can't be forked.
    device = torch.device("cpu")
    dtype = torch.float16 if PRECISION == "fp16" else torch.bfloat16
    scaler = torch.amp.GradScaler(device.type, enabled=PRECISION == "fp16")
    train_loader, eval_loader = get_dataloaders(batch_size)
    backbone = make_backbone().to(device)
    model = make_model().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            images, labels = batch["image"].to(device), batch["label"].to(device)
            optimizer.zero_grad()
            with torch.autocast(device.type, dtype=dtype):
                with torch.no_grad():
                    features = backbone(images)
                logits = model(features)
            loss = pet_loss(logits.float(), labels)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), MAX_NORM)
            scaler.step(optimizer)
            scaler.update()
        print(f"epoch {epoch}: loss {loss.item():.4f}")


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
plain_loop()

# %% [markdown]
# ## Your turn
#
# Write `training_loop`, which trains the same on any number of processes, in the precision that `PRECISION` names.
# It must be right for "bf16" here, and for "fp16" on a GPU that has no bf16, without a change.
#
# Before you type, decide for each computation of `plain_loop`: who says its precision now? Is it prepared? May it be
# rounded? And for each call of the scaler: who does it now?


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=16, epochs=2, seed=42):
    """What plain_loop does, on any number of processes."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=PRECISION)
    train_loader, eval_loader = get_dataloaders(batch_size)
    backbone = make_backbone().to(accelerator.device)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            images, labels = batch["image"], batch["label"]
            optimizer.zero_grad()
            with torch.no_grad(), accelerator.autocast():
                features = backbone(images)
            loss = pet_loss(model(features), labels)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}, {accelerator.num_processes} processes")
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# Two processes, batches of 16 on each.

# %% nbgrader={"grade": false, "grade_id": "launch", "locked": true, "schema_version": 3, "solution": false, "task": false}
args = (16, 2, 42)
notebook_launcher(training_loop, args, num_processes=2)

# %% [markdown]
# ## Hints
#
# Open them one after the other, and only as many as you need.
#
# <details>
# <summary>Hint 1: where to look</summary>
#
# There are three computations for each batch: the backbone, the head, the loss. The autocast block of `plain_loop` held
# two of them. One of these two is prepared now and casts by itself. The other is not. The third was outside, and should
# be.
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - The precision goes into the accelerator, when it is made.
# - Head, optimizer and loader go through `prepare`. The backbone does not: it has nothing to train. It goes to
#   `accelerator.device` by hand.
# - The backbone is called inside `accelerator.autocast()`, without gradients, as before.
# - The head is called outside of it, and gives `float32`. So the loss needs neither a block nor a cast.
# - Backward and clipping are the accelerator's. No scaler, no `unscale_`.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# accelerator = Accelerator(mixed_precision=...)
# ...
# backbone = make_backbone().to(...)
# ...
# for batch in train_loader:
#     optimizer...
#     with torch.no_grad(), accelerator...:
#         features = backbone(...)
#     loss = pet_loss(model(...), ...)
#     accelerator.backward(...)
#     accelerator.clip_grad_norm_(..., MAX_NORM)
#     optimizer...
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again. Your loop is run in `float32` to see
# who computes in what, in `float64` (which autocast leaves alone) to see that the training is the plain loop's to the
# last digit, and once more with a real scaler in the accelerator, since PyTorch's also works on a CPU.
#
# **1 point:** model, optimizer and loader go through `prepare`.

# %% nbgrader={"grade": true, "grade_id": "check-prepared", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("prepared", training_loop)

# %% [markdown]
# **3 points:** head and backbone compute in bf16, the weights stay in float32.

# %% nbgrader={"grade": true, "grade_id": "check-precision", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("precision", training_loop)

# %% [markdown]
# **2 points:** the loss is computed in float32.

# %% nbgrader={"grade": true, "grade_id": "check-loss", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("loss", training_loop)

# %% [markdown]
# **2 points:** gradients are clipped before each step, and under a scaler in their own size.

# %% nbgrader={"grade": true, "grade_id": "check-clipped", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("clipped", training_loop)

# %% [markdown]
# **2 points:** two processes train one model, and it is the plain loop's.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# ## What you take along
#
# - The precision is said to the `Accelerator`, and `accelerator.mixed_precision` tells what it heard. The dtype of a
#   layer's output tells what was done.
# - `prepare` casts for the forward pass of a prepared model and gives `float32` back. Everything else is yours:
#   `accelerator.autocast()` for large products outside of it, nothing around a loss.
# - On a CPU bf16 is real and fp16 is nothing.
# - Under a scaler a gradient has its own size only after it was unscaled, once. `accelerator.clip_grad_norm_` does that;
#   PyTorch's own clipping doesn't.
