"""Train an image classifier on one device, and move everything there by hand.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The pictures, the network and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate.utils import set_seed
from task import accuracy, get_dataloaders, learning_rate, make_model, run
from torch import nn
from torch.nn.functional import cross_entropy


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs and say how it goes. Gives the trained model back."""
    # One seed for the split, the first weights and the order of the rows.
    set_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()

            # A batch is born on the CPU, the weights may be elsewhere.
            images = batch["image"].to(device)
            labels = batch["label"].to(device)

            loss = cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()

        score = accuracy(model, eval_loader)
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
