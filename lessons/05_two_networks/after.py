"""Train two networks against each other on any number of devices: one makes points, one judges them.

    python before.py              [--epochs N]
    accelerate launch after.py    [--epochs N]

The points, the networks, their loss and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from task import get_dataloaders, make_models, on_the_ring, run, score_loss
from torch import nn

GENERATOR_RATE, DISCRIMINATOR_RATE = 5e-4, 5e-3
BETAS = (0.5, 0.999)


def train(batch_size: int = 32, epochs: int = 20, seed: int = 42) -> nn.Module:
    """Let two networks play for some epochs. Gives the generator back."""
    set_seed(seed)
    accelerator = Accelerator()

    train_loader, noise_loader = get_dataloaders(batch_size)
    generator, discriminator = make_models()
    g_optimizer = torch.optim.Adam(generator.parameters(), lr=GENERATOR_RATE, betas=BETAS)
    d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=DISCRIMINATOR_RATE, betas=BETAS)

    # Both networks and both optimizers: each network is shared on its own.
    generator, discriminator, g_optimizer, d_optimizer, train_loader = accelerator.prepare(
        generator, discriminator, g_optimizer, d_optimizer, train_loader
    )

    for epoch in range(epochs):
        for batch in train_loader:
            real, noise = batch["point"], batch["noise"]

            # The discriminator learns from real points and from made ones, which are held fixed.
            d_optimizer.zero_grad()
            accelerator.backward(score_loss(discriminator(real), True))
            made = generator(noise)
            accelerator.backward(score_loss(discriminator(made.detach()), False))
            d_optimizer.step()

            # The generator learns through the discriminator, which it wants to mislead.
            g_optimizer.zero_grad()
            loss = score_loss(discriminator(made), True)
            accelerator.backward(loss)
            g_optimizer.step()

        accelerator.print(f"epoch {epoch}: {on_the_ring(generator, noise_loader):.0%} on the ring")

    return generator


if __name__ == "__main__":
    run(train, __doc__)
