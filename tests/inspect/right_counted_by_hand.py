"""Accumulation without the library's: a plain Accelerator, no_sync, an inner loop; and a stream shared out by rank."""

from contextlib import nullcontext
from itertools import islice

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, IterableDataset

STEPS = 4


class Shard(IterableDataset):
    def __init__(self, lines, rank, world):
        self.lines, self.rank, self.world = lines, rank, world

    def __iter__(self):
        return islice(iter(self.lines), self.rank, None, self.world)


def train(lines, make_model, epochs=1):
    accelerator = Accelerator()
    shard = Shard(lines, accelerator.process_index, accelerator.num_processes)
    loader = DataLoader(shard, batch_size=8)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer = accelerator.prepare(model, optimizer)
    for _ in range(epochs):
        for number, batch in enumerate(loader):
            last = (number + 1) % STEPS == 0
            with nullcontext() if last else accelerator.no_sync(model):
                loss = model(batch.to(accelerator.device)).loss / STEPS
                accelerator.backward(loss)
            if last:
                optimizer.step()
                optimizer.zero_grad()
