"""Fine-tune DistilBERT on sentence pairs with a loop of your own, on any number of devices.

    python trainer.py             [--real] [--epochs N]
    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

All three do the same work. The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from task import accuracy, get_dataloaders, learning_rate, make_model, run
from torch import nn
from transformers import get_linear_schedule_with_warmup

MAX_NORM = 1.0


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs and say how it goes. Gives the trained model back."""
    set_seed(seed)
    accelerator = Accelerator()

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate(real), weight_decay=0.0)
    lr_scheduler = get_linear_schedule_with_warmup(optimizer, 0, len(train_loader) * epochs)
    model, optimizer, train_loader, lr_scheduler = accelerator.prepare(
        model, optimizer, train_loader, lr_scheduler
    )

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()

        accelerator.print(f"epoch {epoch}: accuracy {accuracy(model, eval_loader):.3f}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
