"""Fine-tune DistilBERT with steps of four small batches, counted, divided and clipped by hand.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate.utils import set_seed
from task import accuracy, get_dataloaders, learning_rate, make_model, run
from torch import nn

ACCUMULATION = 4  # batches that one step learns from
MAX_NORM = 1.0


def train(batch_size: int = 8, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs and say how it goes. Gives the trained model back."""
    set_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))

    for epoch in range(epochs):
        model.train()
        for index, batch in enumerate(train_loader):
            batch = {name: column.to(device) for name, column in batch.items()}
            loss = model(**batch).loss
            (loss / ACCUMULATION).backward()

            # A step is due after every fourth batch, and after the last one of the epoch.
            if (index + 1) % ACCUMULATION == 0 or index + 1 == len(train_loader):
                nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()

        score = accuracy(model, eval_loader)
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}")

    return model


if __name__ == "__main__":
    run(train, __doc__)
