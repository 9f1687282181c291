"""Helper functions, starred and indexed results, names that mislead."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def build(accelerator, rows, epochs):
    rank, world = accelerator.process_index, accelerator.num_processes
    sampler = DistributedSampler(rows, world, rank)  # <- sharded-twice
    loader = DataLoader(rows, batch_size=8, sampler=sampler)
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    parts = accelerator.prepare(loader, model, optimizer)
    total = epochs * len(parts[0])
    schedule = OneCycleLR(parts[2], max_lr=0.1, total_steps=total)  # <- schedule-counted-after-prepare
    return [*parts, accelerator.prepare(schedule)]


def one_epoch(accelerator, loader, model, optimizer, scheduler):
    for x, y in loader:
        optimizer.zero_grad()
        inner = accelerator.unwrap_model(model)
        loss = nn.functional.mse_loss(inner(x), y)  # <- around-the-wrapper
        if torch.isnan(loss):
            continue  # <- different-step-counts
        accelerator.backward(loss)
        optimizer.step()
        scheduler.step()
    return loss


def accuracy(accelerator, model, loader):
    right = seen = 0
    for x, y in loader:
        with torch.no_grad():
            said = model(x).argmax(dim=1)
        right += (accelerator.gather(said) == accelerator.gather(y)).sum().item()  # <- rows-counted-twice
        seen += len(y)
    return right / seen


def main(rows, held, epochs=3):
    acc = Accelerator()
    everything = build(acc, rows, epochs)
    held = acc.prepare(DataLoader(held, batch_size=8))
    for _ in range(epochs):
        one_epoch(acc, *everything)
        acc.print(accuracy(acc, everything[1], held))
    torch.save(everything[1].state_dict(), "model.pt")  # <- module-keys, saved-on-the-wrong-ranks
