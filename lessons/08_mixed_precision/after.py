"""Fine-tune DistilBERT in mixed precision on any number of devices: Accelerate casts, scales and unscales.

    python before.py              [--real] [--epochs N] [--precision no|bf16|fp16]
    accelerate launch after.py    [--real] [--epochs N] [--precision no|bf16|fp16]

The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from task import accuracy, get_dataloaders, learning_rate, make_average, make_model, run
from torch import nn
from torch.nn.functional import cross_entropy

MAX_NORM = 1.0


def train(
    batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False, precision: str = "bf16"
) -> nn.Module:
    """Train for some epochs and say how it goes. Gives the trained model back."""
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=precision)

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    average = make_average(model)
    average.to(accelerator.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            labels = batch.pop("labels")
            # The prepared model computes in few bits by itself, and gives float32 back.
            logits = model(**batch).logits
            loss = cross_entropy(logits, labels, label_smoothing=0.1)
            # A gradient that is too long is cut to MAX_NORM, and a step is taken with it.
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            optimizer.zero_grad()
            average.update_parameters(model)

        with accelerator.autocast():  # the average was not prepared
            score = accuracy(average, eval_loader)
        accelerator.print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
