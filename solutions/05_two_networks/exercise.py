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
#     lesson: 05_two_networks
#     title: Two networks, and where a Trainer ends
#     minutes: 40
#     difficulty: 3
#     teaches: two models and two optimizers through prepare; three backward passes a batch; detach
#     changes: [Accelerator, accelerator, device, batch]
# ---

# %% [markdown]
# # 05 · Two networks, and where a Trainer ends
#
# **About 40 minutes · difficulty 3 of 5**
#
# A **generator** makes pictures from noise. A **discriminator** looks at pictures and says which are real. Each learns
# from the other's mistakes, and after a while the generator's pictures look like the real ones. It is called a
# generative adversarial network, a GAN.

# %% [markdown]
# ## What you know
#
# From lesson 01: `prepare` what trains, let the accelerator go backward.
#
# A `Trainer` such as that of `transformers` asks you for *a* model and *a* loss, and then does everything: forward,
# backward, step. A GAN has two models, two optimizers, and for each batch three losses that go backward into different
# networks, in an order that matters. There is no argument for that. You'd have to write the Trainer's inner loop anew,
# and then it does nothing for you. A loop of your own with Accelerate has no such end: a second network is a second
# name in `prepare`.
#
# The next cell is the one from lesson 01.

# %% nbgrader={"grade": false, "grade_id": "setup", "locked": true, "schema_version": 3, "solution": false, "task": false}
import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import torch

if torch.cuda.device_count() < 2:
    os.environ["ACCELERATE_USE_CPU"] = "yes"  # two processes on the CPU, not two lonely ones

from accelerate import Accelerator, PartialState, notebook_launcher
from accelerate.utils import set_seed

from looplift import check, show_diff

# %% [markdown]
# ## What changes, and why
#
# **One accelerator, two networks.** `prepare` wraps each network on its own, so that each averages its own gradients
# over the processes. A network that is left out is trained by each process alone: no error, and after the first step
# two different generators play against one discriminator.
#
# **Three backward passes.** The discriminator learns from real pictures and from made ones, the generator learns
# through the discriminator:
#
# | the loss | goes backward into | who takes a step |
# |---|---|---|
# | real pictures should be called real | the discriminator | |
# | made pictures should be called made | the discriminator, **not** the generator | the discriminator |
# | made pictures should be called real | the discriminator *and* the generator | the generator |
#
# **`detach` in the second row.** `generator(noise).detach()` are the same numbers without a way back to the generator.
# Without it the generator would be taught to make pictures that look made. In the third row it must not stand: there
# the way back is all that the generator has.
#
# **`zero_grad` twice.** The third backward leaves gradients in the discriminator that are not meant for it. They have to
# be gone before the discriminator's next turn.
#
# None of this is Accelerate's business, and none of it changes. That is the point: what is hard about this loop stays
# in your hands, and only the devices leave them.

# %% [markdown]
# ## Before and after
#
# Points on a ring instead of pictures, so that it trains in seconds.

# %% nbgrader={"grade": false, "grade_id": "diff", "locked": true, "schema_version": 3, "solution": false, "task": false}
show_diff("05_two_networks")

# %% [markdown]
# ## Your loop
#
# Yours makes pictures of rings. Every row has a picture and its own noise. (A loop may draw its noise itself; then it
# has to be different on each process, although all of them have the same seed: `set_seed(seed, device_specific=True)`.
# With the noise in the rows nobody has to think of it.)

# %% nbgrader={"grade": false, "grade_id": "given", "locked": true, "schema_version": 3, "solution": false, "task": false}
from looplift.material.rings import made_by, make_networks, ring_loaders, rings, show_pictures

GENERATOR_RATE, DISCRIMINATOR_RATE = 1e-3, 1e-3
BETAS = (0.5, 0.999)


def get_dataloaders(batch_size):
    """(train_loader, noise_loader): batches with image and noise; noise alone, to look at what is made."""
    return ring_loaders(batch_size)


def make_models():
    """(generator, discriminator)"""
    return make_networks()


def score_loss(scores, real):
    """How far the discriminator's numbers are from saying `real`, True or False: the mean over the rows."""
    wanted = torch.full_like(scores, float(real))
    return torch.nn.functional.binary_cross_entropy_with_logits(scores, wanted)


# %% nbgrader={"grade": false, "grade_id": "plain", "locked": true, "schema_version": 3, "solution": false, "task": false}
def plain_loop(batch_size=32, epochs=30, seed=42):
    """Train both networks on one device. Gives the generator back."""
    set_seed(seed)
    # In a script you'd write "cuda" where there is one; a notebook that has touched CUDA can't be forked.
    device = torch.device("cpu")
    train_loader, noise_loader = get_dataloaders(batch_size)
    generator, discriminator = make_models()
    generator.to(device)
    discriminator.to(device)
    g_optimizer = torch.optim.Adam(generator.parameters(), lr=GENERATOR_RATE, betas=BETAS)
    d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=DISCRIMINATOR_RATE, betas=BETAS)
    for epoch in range(epochs):
        for batch in train_loader:
            real, noise = batch["image"].to(device), batch["noise"].to(device)

            d_optimizer.zero_grad()
            score_loss(discriminator(real), True).backward()
            made = generator(noise)
            score_loss(discriminator(made.detach()), False).backward()
            d_optimizer.step()

            g_optimizer.zero_grad()
            loss = score_loss(discriminator(made), True)
            loss.backward()
            g_optimizer.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch}: the generator's loss {loss.item():.3f}")
    return generator


# %% nbgrader={"grade": false, "grade_id": "plain-run", "locked": true, "schema_version": 3, "solution": false, "task": false}
untrained, _ = make_models()
trained = plain_loop()
show_pictures(
    torch.cat([rings()[0].images[:12], made_by(untrained)[:12], made_by(trained)[:12]]),
    "First row: rings to learn from. Second row: made before training, grey noise. Third row: made after it, rough rings.",
)

# %% [markdown]
# ## Your turn
#
# Write `training_loop`, which trains both networks on any number of processes and gives the generator back. For each
# name in `plain_loop` decide: does it go through `prepare`, and does anything after that still need the old one?


# %% nbgrader={"grade": false, "grade_id": "answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def training_loop(batch_size=32, epochs=30, seed=42):
    """What plain_loop does, on any number of processes. Gives the generator back."""
    ### BEGIN SOLUTION
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, noise_loader = get_dataloaders(batch_size)
    generator, discriminator = make_models()
    g_optimizer = torch.optim.Adam(generator.parameters(), lr=GENERATOR_RATE, betas=BETAS)
    d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=DISCRIMINATOR_RATE, betas=BETAS)
    generator, discriminator, g_optimizer, d_optimizer, train_loader = accelerator.prepare(
        generator, discriminator, g_optimizer, d_optimizer, train_loader
    )
    for epoch in range(epochs):
        for batch in train_loader:
            real, noise = batch["image"], batch["noise"]

            d_optimizer.zero_grad()
            accelerator.backward(score_loss(discriminator(real), True))
            made = generator(noise)
            accelerator.backward(score_loss(discriminator(made.detach()), False))
            d_optimizer.step()

            g_optimizer.zero_grad()
            loss = score_loss(discriminator(made), True)
            accelerator.backward(loss)
            g_optimizer.step()
        if epoch % 10 == 9:
            accelerator.print(f"epoch {epoch}: the generator's loss {loss.item():.3f}")
    return generator
    ### END SOLUTION


# %% [markdown]
# ## Launch it
#
# The launcher throws away what your function gives back: it was made in another process. So the function that is
# launched here takes your generator and writes its pictures into a file, on the main process, and this notebook reads
# the file.


# %% nbgrader={"grade": false, "grade_id": "launch", "locked": true, "schema_version": 3, "solution": false, "task": false}
def train_and_keep(*args):
    generator = training_loop(*args)
    if PartialState().is_main_process and generator is not None:
        torch.save(made_by(generator), "made.pt")


args = (32, 30, 42)
notebook_launcher(train_and_keep, args, num_processes=2)

# %% nbgrader={"grade": false, "grade_id": "look", "locked": true, "schema_version": 3, "solution": false, "task": false}
if os.path.exists("made.pt"):
    pictures = show_pictures(torch.load("made.pt", weights_only=True), "Made by two processes: rough rings.")
else:
    pictures = "no pictures yet: training_loop gave no generator back"
pictures

# %% [markdown]
# ## Hints
#
# Open them one after the other, and only as many as you need.
#
# <details>
# <summary>Hint 1: where to look</summary>
#
# Count the things in `plain_loop` that train or deal out rows: two of this, two of that, one of the third. Count the
# backward passes, too. The lines with `detach` and `zero_grad` are not yours to change.
#
# </details>
#
# <details>
# <summary>Hint 2: what goes where</summary>
#
# - One accelerator, after the seed.
# - One call of `prepare` with five objects; its results get the same five names, in the same order.
# - No `.to(device)`, neither for networks nor for what is in a batch.
# - Three times `accelerator.backward`.
#
# </details>
#
# <details>
# <summary>Hint 3: nearly the code</summary>
#
# ```python
# generator, discriminator, ..., ..., train_loader = accelerator.prepare(
#     generator, discriminator, ..., ..., train_loader
# )
# for epoch in range(epochs):
#     for batch in train_loader:
#         real, noise = batch["image"], batch["noise"]
#         d_optimizer.zero_grad()
#         accelerator.backward(score_loss(discriminator(real), True))
#         ...                       # the other lines of plain_loop, backward through the accelerator
# ```
#
# </details>

# %% [markdown]
# ## Checks
#
# Ten points in all. Mend the first thing that is named, then run the check again.
#
# **1 point:** one accelerator for both networks.

# %% nbgrader={"grade": true, "grade_id": "check-one_accelerator", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
check("one_accelerator", training_loop)

# %% [markdown]
# **2 points:** all three backward passes go through it.

# %% nbgrader={"grade": true, "grade_id": "check-backward", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
check("backward", training_loop)

# %% [markdown]
# **3 points:** both networks, both optimizers and the loader go through `prepare`.

# %% nbgrader={"grade": true, "grade_id": "check-prepared", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
check("prepared", training_loop)

# %% [markdown]
# **4 points:** two processes train one generator and one discriminator, and they are the plain loop's.

# %% nbgrader={"grade": true, "grade_id": "check-one_training", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("one_training", training_loop)

# %% [markdown]
# ## What you take along
#
# - A loop of your own has no limit to the networks in it; `prepare` takes them all.
# - Each network averages its own gradients. One that is not prepared drifts apart, silently.
# - `detach` and `zero_grad` say who learns from what. Accelerate leaves that to you.
