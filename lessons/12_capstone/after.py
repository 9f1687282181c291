"""Fine-tune DistilBERT on any number of devices: Accelerate joins, shares out, averages, scales and counts.

    python before.py                            [--real] [--epochs N]
    torchrun --nproc-per-node 2 before.py       [--real] [--epochs N]
    accelerate launch after.py                  [--real] [--epochs N]

torchrun starts either of them on several processes. The sentences and the model are in task.py.
"""

from __future__ import annotations

import torch
from accelerate import Accelerator, DataLoaderConfiguration
from accelerate.utils import set_seed
from task import CHECKPOINT, get_dataloaders, learning_rate, make_model, run

ACCUMULATION = 4  # batches that one step learns from
MAX_NORM = 1.0


def train(batch_size: int = 8, epochs: int = 3, seed: int = 42, real: bool = False) -> float:
    """Train for some epochs, say how it goes, keep the weights. Gives the last accuracy back."""
    set_seed(seed)
    accelerator = Accelerator(
        gradient_accumulation_steps=ACCUMULATION,
        mixed_precision="fp16" if torch.cuda.is_available() else "no",
        # A shuffled order that depends on the seed and the epoch alone, on any number of processes.
        dataloader_config=DataLoaderConfiguration(use_seedable_sampler=True, data_seed=seed),
    )

    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate(real))
    model, optimizer, train_loader, eval_loader = accelerator.prepare(
        model, optimizer, train_loader, eval_loader
    )

    for epoch in range(epochs):
        model.train()
        total = torch.zeros((), device=accelerator.device)
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                total += loss.detach()
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()
        mean_loss = accelerator.reduce(total, "mean").item() / len(train_loader)

        model.eval()
        right, seen = 0, 0
        for batch in eval_loader:
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
            right += (predictions == labels).sum().item()
            seen += len(predictions)
        accuracy = right / seen
        accelerator.print(f"epoch {epoch}: loss {mean_loss:.3f}, accuracy {accuracy:.3f}")

    accelerator.save(accelerator.get_state_dict(model), CHECKPOINT)
    accelerator.wait_for_everyone()  # nobody goes on, and reads it, before it is whole
    accelerator.end_training()
    return accuracy


if __name__ == "__main__":
    run(train, __doc__)
