"""Fine-tune DistilBERT on sentence pairs with a learning rate that warms up, on any number of devices.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from task import accuracy, get_dataloaders, learning_rate, make_model, run
from torch import nn
from transformers import get_linear_schedule_with_warmup


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs and say how it goes. Gives the trained model back."""
    set_seed(seed)
    accelerator = Accelerator()

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    optimizer = torch.optim.Adam(params=model.parameters(), lr=learning_rate(real))

    # Counted before prepare: the prepared loader is shorter, and the prepared scheduler makes up for that.
    num_training_steps = len(train_loader) * epochs
    num_warmup_steps = int(0.1 * num_training_steps)
    lr_scheduler = get_linear_schedule_with_warmup(
        optimizer=optimizer,
        num_warmup_steps=num_warmup_steps,
        num_training_steps=num_training_steps,
    )
    model, optimizer, train_loader, lr_scheduler = accelerator.prepare(
        model, optimizer, train_loader, lr_scheduler
    )

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()

            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            lr_scheduler.step()

        score, rate = accuracy(model, eval_loader), lr_scheduler.get_last_lr()[0]
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}, next rate {rate:.2e}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
