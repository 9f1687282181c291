"""Fine-tune DistilBERT with steps of four small batches on any number of devices: Accelerate counts and divides.

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

ACCUMULATION = 4  # batches that one step learns from
MAX_NORM = 1.0


def train(batch_size: int = 8, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs and say how it goes. Gives the trained model back."""
    set_seed(seed)
    accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION)

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            # It counts the batches; inside, step and zero_grad do nothing until a step is due.
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()

        score = accuracy(model, eval_loader)
        accelerator.print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
