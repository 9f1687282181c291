"""A trainer class: an endless loader, an average of the weights on the main process, checkpoints by hand."""

import copy
from pathlib import Path

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def cycle(loader):
    while True:
        yield from loader


class Trainer:
    def __init__(self, model, rows, batch_size=16, every=4, steps=1000, folder="results", amp=False):
        self.accelerator = Accelerator(split_batches=True, mixed_precision="fp16" if amp else "no")
        self.model = model
        self.every, self.steps, self.step = every, steps, 0
        loader = DataLoader(rows, batch_size=batch_size, shuffle=True)
        self.loader = cycle(self.accelerator.prepare(loader))
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
        if self.accelerator.is_main_process:
            self.average = copy.deepcopy(model)
            self.average.to(self.device)
        self.folder = Path(folder)
        self.model, self.optimizer = self.accelerator.prepare(self.model, self.optimizer)

    @property
    def device(self):
        return self.accelerator.device

    def save(self, number):
        if not self.accelerator.is_local_main_process:
            return
        state = {"step": self.step, "model": self.accelerator.get_state_dict(self.model)}
        torch.save(state, str(self.folder / f"model-{number}.pt"))

    def train(self):
        accelerator = self.accelerator
        while self.step < self.steps:
            self.model.train()
            total = 0.0
            for _ in range(self.every):
                rows = next(self.loader).to(self.device)
                with accelerator.autocast():
                    loss = self.model(rows) / self.every
                total += loss.item()
                accelerator.backward(loss)
            accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()
            accelerator.wait_for_everyone()
            self.step += 1
            if accelerator.is_main_process:
                print(f"step {self.step}: loss {total:.4f}")
                if self.step % 100 == 0:
                    self.save(self.step // 100)
        accelerator.print("done")
