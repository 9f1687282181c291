"""Fine-tune DistilBERT on sentence pairs with a learning rate that warms up, on one device.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate.utils import set_seed
from task import accuracy, get_dataloaders, learning_rate, make_model, run
from torch import nn
from transformers import get_linear_schedule_with_warmup


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs and say how it goes. Gives the trained model back."""
    set_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    model.to(device)
    optimizer = torch.optim.Adam(params=model.parameters(), lr=learning_rate(real))

    # Up for a tenth of the training, then down to zero with its last batch.
    num_training_steps = len(train_loader) * epochs
    num_warmup_steps = int(0.1 * num_training_steps)
    lr_scheduler = get_linear_schedule_with_warmup(
        optimizer=optimizer,
        num_warmup_steps=num_warmup_steps,
        num_training_steps=num_training_steps,
    )

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            batch = {name: column.to(device) for name, column in batch.items()}

            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            lr_scheduler.step()

        score, rate = accuracy(model, eval_loader), lr_scheduler.get_last_lr()[0]
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}, next rate {rate:.2e}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
