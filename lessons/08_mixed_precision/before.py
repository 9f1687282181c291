"""Fine-tune DistilBERT in mixed precision, cast, scaled and unscaled by hand.

    python before.py              [--real] [--epochs N] [--precision no|bf16|fp16]
    accelerate launch after.py    [--real] [--epochs N] [--precision no|bf16|fp16]

The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import torch
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
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dtype = torch.float16 if precision == "fp16" else torch.bfloat16
    mixed = precision == "bf16" or (precision == "fp16" and device.type != "cpu")
    # fp16 has no small numbers: the loss is multiplied before backward, the gradients divided before they are used.
    scaler = torch.amp.GradScaler(device.type, enabled=mixed and precision == "fp16")

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    average = make_average(model)
    model.to(device)
    average.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            batch = {name: column.to(device) for name, column in batch.items()}
            labels = batch.pop("labels")
            with torch.autocast(device.type, dtype=dtype, enabled=mixed):
                logits = model(**batch).logits
            loss = cross_entropy(logits.to(model.dtype), labels, label_smoothing=0.1)
            # A gradient that is too long is cut to MAX_NORM, and a step is taken with it.
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            average.update_parameters(model)

        with torch.autocast(device.type, dtype=dtype, enabled=mixed):  # the average, too
            score = accuracy(average, eval_loader)
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
