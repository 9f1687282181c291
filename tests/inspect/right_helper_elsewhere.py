"""What is prepared in another file is not in this text, so nothing is said about it."""

from accelerate import Accelerator
from somewhere import build_everything, criterion, log_to_disk


def fit(accelerator, model, optimizer, loader, scheduler=None):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        loss = criterion(model(batch["x"]), batch["y"])
        accelerator.backward(loss)
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
    return loss.item()


def main(epochs=2):
    accelerator = Accelerator()
    model, optimizer, loader = build_everything(accelerator)
    for epoch in range(epochs):
        loss = fit(accelerator, model, optimizer, loader)
        log_to_disk(accelerator, epoch, loss)


main()
