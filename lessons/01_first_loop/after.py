"""Train an image classifier on any number of devices, and let Accelerate move everything.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The pictures, the network and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from task import accuracy, get_dataloaders, learning_rate, make_model, run
from torch import nn
from torch.nn.functional import cross_entropy


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs and say how it goes. Gives the trained model back."""
    # One seed for the split, the first weights and the order of the rows.
    set_seed(seed)
    accelerator = Accelerator(device_placement=True)

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))

    # What comes back is on the right device and shared among the processes.
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()

            images = batch["image"]
            labels = batch["label"]

            loss = cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()

        score = accuracy(model, eval_loader)
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
