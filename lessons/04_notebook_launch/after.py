"""Train the head of an image classifier whose backbone stays as it is, on any number of devices.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The pictures and the network are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from task import get_dataloaders, make_model, run
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import OneCycleLR

MAX_LR = 5e-3


def train(batch_size: int = 16, epochs: int = 5, seed: int = 42, real: bool = False) -> float:
    """Train, and measure after each epoch. Gives the last accuracy back, 0 to 1."""
    set_seed(seed)
    accelerator = Accelerator()

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    for param in model.parameters():
        param.requires_grad = False
    for param in model.get_classifier().parameters():
        param.requires_grad = True

    mean = torch.tensor(model.default_cfg["mean"])[None, :, None, None]
    std = torch.tensor(model.default_cfg["std"])[None, :, None, None]
    mean = mean.to(accelerator.device)
    std = std.to(accelerator.device)

    optimizer = torch.optim.Adam(params=model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, eval_loader, scheduler
    )

    accuracy = 0.0
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            images, labels = batch["image"], batch["label"]
            loss = cross_entropy(model((images - mean) / std), labels)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()

        model.eval()
        accurate, counted = 0, 0
        for batch in eval_loader:
            images, labels = batch["image"], batch["label"]
            with torch.no_grad():
                predictions = model((images - mean) / std).argmax(dim=-1)
            # From every process, without the rows that only fill up the last round.
            predictions, labels = accelerator.gather_for_metrics((predictions, labels))
            accurate += (predictions == labels).sum().item()
            counted += labels.shape[0]

        accuracy = accurate / counted
        accelerator.print(f"epoch {epoch}: {100 * accuracy:.2f}")

    return accuracy


if __name__ == "__main__":
    run(train, __doc__)
