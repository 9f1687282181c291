"""Fine-tune DistilBERT on any number of devices, with everything that this takes written out.

    python before.py                            [--real] [--epochs N]
    torchrun --nproc-per-node 2 before.py       [--real] [--epochs N]
    accelerate launch after.py                  [--real] [--epochs N]

torchrun starts either of them on several processes. The sentences and the model are in task.py.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext

import torch
import torch.distributed as dist
from accelerate.utils import set_seed
from task import CHECKPOINT, get_dataloaders, learning_rate, make_model, run
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

ACCUMULATION = 4  # batches that one step learns from
MAX_NORM = 1.0


def join() -> tuple[int, int, torch.device]:
    """Join the other processes. Gives this one's rank, their number, and this one's device.

    The launcher has said so in environment variables; without a launcher there is one process.
    """
    rank = int(os.environ.get("RANK", "0"))
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", local_rank)
        torch.cuda.set_device(device)
    if processes > 1:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return rank, processes, device


def share_out(
    train_loader: DataLoader, eval_loader: DataLoader, rank: int, processes: int, seed: int
) -> tuple[DataLoader, DataLoader]:
    """Loaders over this process's share of the rows."""
    rows = train_loader.dataset
    sampler = DistributedSampler(rows, processes, rank, shuffle=True, seed=seed)
    own_train_loader = DataLoader(rows, train_loader.batch_size, sampler=sampler)
    # Not that sampler again: it fills up the last round with rows that were there before.
    rows = eval_loader.dataset
    own_rows = range(rank, len(rows), processes)
    own_eval_loader = DataLoader(rows, eval_loader.batch_size, sampler=own_rows)
    return own_train_loader, own_eval_loader


def without_talk(model: nn.Module, processes: int) -> AbstractContextManager:
    """A block in which backward does not average the gradients of the processes."""
    return model.no_sync() if processes > 1 else nullcontext()


def add_up(numbers: torch.Tensor, processes: int) -> torch.Tensor:
    """The numbers of all processes, added up, on each of them."""
    if processes > 1:
        dist.all_reduce(numbers)
    return numbers


def save(model: nn.Module, rank: int, processes: int) -> None:
    """Write the weights once, under the names that they have in the plain model."""
    if rank == 0:
        state = model.state_dict()
        weights = {name.removeprefix("module."): value.cpu() for name, value in state.items()}
        torch.save(weights, CHECKPOINT)
    if processes > 1:
        dist.barrier()  # nobody goes on, and reads it, before it is whole


def train(batch_size: int = 8, epochs: int = 3, seed: int = 42, real: bool = False) -> float:
    """Train for some epochs, say how it goes, keep the weights. Gives the last accuracy back."""
    set_seed(seed)
    rank, processes, device = join()

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    train_loader, eval_loader = share_out(train_loader, eval_loader, rank, processes, seed)
    model = make_model(real)
    model.to(device)
    if processes > 1:
        on_gpu = device.type == "cuda"
        model = DistributedDataParallel(model, device_ids=[device.index] if on_gpu else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))
    fp16 = device.type == "cuda"
    scaler = torch.amp.GradScaler(device.type, enabled=fp16)

    for epoch in range(epochs):
        train_loader.sampler.set_epoch(epoch)
        model.train()
        total = torch.zeros((), device=device)
        for index, batch in enumerate(train_loader):
            batch = {name: column.to(device) for name, column in batch.items()}
            # A step is due after every fourth batch, and after the last one of the epoch.
            due = (index + 1) % ACCUMULATION == 0 or index + 1 == len(train_loader)
            with nullcontext() if due else without_talk(model, processes):
                with torch.autocast(device.type, torch.float16, enabled=fp16):
                    loss = model(**batch).loss
                scaler.scale(loss / ACCUMULATION).backward()
            total += loss.detach()
            if due:
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
        mean_loss = add_up(total, processes).item() / processes / len(train_loader)

        model.eval()
        counts = torch.zeros(2, dtype=torch.long, device=device)
        own_model = model.module if processes > 1 else model  # shares may be uneven: no talk here
        for batch in eval_loader:
            batch = {name: column.to(device) for name, column in batch.items()}
            with torch.no_grad(), torch.autocast(device.type, torch.float16, enabled=fp16):
                predictions = own_model(**batch).logits.argmax(dim=-1)
            counts[0] += (predictions == batch["labels"]).sum()
            counts[1] += len(predictions)
        right, seen = add_up(counts, processes).tolist()
        accuracy = right / seen
        if rank == 0:
            print(f"epoch {epoch}: loss {mean_loss:.3f}, accuracy {accuracy:.3f}")

    save(model, rank, processes)
    if processes > 1:
        dist.destroy_process_group()
    return accuracy


if __name__ == "__main__":
    run(train, __doc__)
