"""Train two networks against each other on one device: one makes points, one judges them.

    python before.py              [--epochs N]
    accelerate launch after.py    [--epochs N]

The points, the networks, their loss and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate.utils import set_seed
from task import get_dataloaders, make_models, on_the_ring, run, score_loss
from torch import nn

GENERATOR_RATE, DISCRIMINATOR_RATE = 5e-4, 5e-3
BETAS = (0.5, 0.999)


def train(batch_size: int = 32, epochs: int = 20, seed: int = 42) -> nn.Module:
    """Let two networks play for some epochs. Gives the generator back."""
    set_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    train_loader, noise_loader = get_dataloaders(batch_size)
    generator, discriminator = make_models()
    generator.to(device)
    discriminator.to(device)
    g_optimizer = torch.optim.Adam(generator.parameters(), lr=GENERATOR_RATE, betas=BETAS)
    d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=DISCRIMINATOR_RATE, betas=BETAS)

    for epoch in range(epochs):
        for batch in train_loader:
            real, noise = batch["point"].to(device), batch["noise"].to(device)

            # The discriminator learns from real points and from made ones, which are held fixed.
            d_optimizer.zero_grad()
            score_loss(discriminator(real), True).backward()
            made = generator(noise)
            score_loss(discriminator(made.detach()), False).backward()
            d_optimizer.step()

            # The generator learns through the discriminator, which it wants to mislead.
            g_optimizer.zero_grad()
            loss = score_loss(discriminator(made), True)
            loss.backward()
            g_optimizer.step()

        print(f"epoch {epoch}: {on_the_ring(generator, noise_loader):.0%} on the ring")

    return generator


if __name__ == "__main__":
    run(train, __doc__)
