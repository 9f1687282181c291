# fails: one_process
# says: torch.distributed was used where the processes are not joined
# kind: torch.distributed is asked for a group that one process does not have

import torch.distributed as dist


def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            labels = batch.pop("labels")
            losses = cross_entropy(model(**batch).logits, labels, reduction="none")
            counts = torch.bincount(labels, minlength=CLASSES)
            dist.all_reduce(counts)
            loss = (losses / counts[labels]).sum() / CLASSES
            optimizer.zero_grad()
            accelerator.backward(loss * accelerator.num_processes)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
