"""Distributed training written out: what a script looks like before Accelerate."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from tqdm import tqdm


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 2)

    def forward(self, x):
        return self.body(x)


def train(rows, epochs):
    dist.init_process_group("nccl")  # <- distributed-by-hand, no-accelerator
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)  # <- distributed-by-hand
    net = Net().cuda(rank)  # <- manual-move
    model = DistributedDataParallel(net)  # <- distributed-by-hand, unprepared-model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)  # <- unprepared-optimizer
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100)  # <- unprepared-scheduler
    sampler = DistributedSampler(rows)  # <- sharded-twice
    loader = DataLoader(rows, batch_size=8, sampler=sampler)  # <- unprepared-loader
    scaler = torch.amp.GradScaler("cuda")  # <- mixed-precision-by-hand
    for epoch in range(epochs):
        sampler.set_epoch(epoch)  # <- sharded-twice
        for x, y in tqdm(loader):  # <- printed-by-every-rank
            optimizer.zero_grad()
            with torch.autocast("cuda"):  # <- mixed-precision-by-hand
                loss = nn.functional.cross_entropy(model(x.cuda(rank)), y.cuda(rank))  # <- manual-move
            if loss.item() > 100:
                break  # <- different-step-counts
            scaler.scale(loss).backward()  # <- plain-backward
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <- clipped-on-every-micro-step
            scaler.step(optimizer)  # <- mixed-precision-by-hand
            scaler.update()  # <- mixed-precision-by-hand
            schedule.step()
        dist.all_reduce(loss)  # <- distributed-by-hand
        if dist.get_rank() == 0:  # <- distributed-by-hand
            print(f"epoch {epoch}: {loss.item():.3f}")
            torch.save(model.module.state_dict(), "model.pt")  # <- saved-on-the-wrong-ranks
    dist.destroy_process_group()  # <- distributed-by-hand


if __name__ == "__main__":
    train(torch.load("rows.pt"), 3)
