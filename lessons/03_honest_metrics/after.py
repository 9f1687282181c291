"""Train an image classifier and measure its accuracy, on any number of devices.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The pictures and the network are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from task import get_dataloaders, learning_rate, make_model, run
from torch.nn.functional import cross_entropy


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> float:
    """Train, and measure after each epoch. Gives the last accuracy back, 0 to 1."""
    set_seed(seed)
    accelerator = Accelerator()

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))
    model, optimizer, train_loader, eval_loader = accelerator.prepare(
        model, optimizer, train_loader, eval_loader
    )

    accuracy = 0.0
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            images, labels = batch["image"], batch["label"]
            loss = cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()

        model.eval()
        accurate, counted = 0, 0
        for batch in eval_loader:
            images, labels = batch["image"], batch["label"]
            with torch.no_grad():
                predictions = model(images).argmax(dim=-1)
            # From every process, without the rows that only fill up the last round.
            predictions, labels = accelerator.gather_for_metrics((predictions, labels))
            accurate += (predictions == labels).sum().item()
            counted += labels.shape[0]

        accuracy = accurate / counted
        accelerator.print(f"epoch {epoch}: {accurate} of {counted} right, accuracy {100 * accuracy:.2f}")

    return accuracy


if __name__ == "__main__":
    run(train, __doc__)
