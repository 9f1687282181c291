"""Fine-tune DistilBERT on sentence pairs with transformers' Trainer: you say what is wanted, it has the loop.

    python trainer.py             [--real] [--epochs N]
    python before.py              [--real] [--epochs N]
    accelerate launch after.py    [--real] [--epochs N]

All three do the same work. The sentences, the model and the measuring are in task.py.
"""

from __future__ import annotations

import tempfile

import torch
from task import accuracy, get_dataloaders, learning_rate, make_model, run, trainer_class
from torch import nn
from transformers import TrainingArguments, set_seed

MAX_NORM = 1.0


def train(batch_size: int = 16, epochs: int = 3, seed: int = 42, real: bool = False) -> nn.Module:
    """Train for some epochs and say how it went. Gives the trained model back."""
    set_seed(seed)
    train_loader, eval_loader = get_dataloaders(batch_size, real)
    model = make_model(real)
    with tempfile.TemporaryDirectory(prefix="looplift-trainer-") as folder:  # where it would keep checkpoints
        wanted = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=batch_size,
            num_train_epochs=epochs,
            learning_rate=learning_rate(real),
            lr_scheduler_type="linear",
            optim="adamw_torch",
            max_grad_norm=MAX_NORM,
            seed=seed,
            use_cpu=not torch.cuda.is_available(),
            save_strategy="no",
            report_to="none",
            logging_strategy="no",
            disable_tqdm=True,
        )
        collate = train_loader.collate_fn
        trainer = trainer_class()(model, wanted, train_dataset=train_loader.dataset, data_collator=collate)
        trainer.train()
    print(f"epoch {epochs - 1}: accuracy {accuracy(model, eval_loader):.3f}")
    return model


if __name__ == "__main__":
    run(train, __doc__)
