"""Fine-tune DistilBERT on one device and keep a log of it, with a writer of its own.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate.utils import set_seed
from task import LOGS, accuracy, get_dataloaders, learning_rate, make_model, run
from torch import nn
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs, the loss of each step in a log. Gives the trained model back."""
    set_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))

    config = {"batch_size": batch_size, "epochs": epochs, "learning_rate": learning_rate(real)}
    writer = SummaryWriter(f"{LOGS}/before")
    writer.add_hparams(config, {})

    bar = tqdm(total=epochs * len(train_loader))
    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            batch = {name: column.to(device) for name, column in batch.items()}
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            writer.add_scalar("loss", loss.item(), step)
            step += 1
            bar.update()

        score = accuracy(model, eval_loader)
        writer.add_scalar("accuracy", score, step)
        print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}")

    bar.close()
    writer.close()
    return model


if __name__ == "__main__":
    run(train, __doc__)
