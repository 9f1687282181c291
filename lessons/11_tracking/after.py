"""Fine-tune DistilBERT on any number of devices and keep one log of it, through the accelerator.

    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from task import LOGS, accuracy, get_dataloaders, learning_rate, make_model, run
from torch import nn
from tqdm import tqdm


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs, the loss of each step in a log. Gives the trained model back."""
    set_seed(seed)
    accelerator = Accelerator(log_with="tensorboard", project_dir=LOGS)

    with accelerator.main_process_first():
        train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    config = {"batch_size": batch_size, "epochs": epochs, "learning_rate": learning_rate(real)}
    accelerator.init_trackers("after", config)

    bar = tqdm(total=epochs * len(train_loader), disable=not accelerator.is_local_main_process)
    step = 0
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            mean_loss = accelerator.gather(loss).mean()
            accelerator.log({"loss": mean_loss}, step)
            step += 1
            bar.update()

        score = accuracy(model, eval_loader)
        accelerator.log({"accuracy": score}, step)
        accelerator.print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {score:.3f}")

    bar.close()
    accelerator.end_training()
    return model


if __name__ == "__main__":
    run(train, __doc__)
