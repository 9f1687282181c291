# fails: one_process
# says: on one process the gradient is 2 times
# kind: 2 written where the number of processes belongs

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
            counts = accelerator.reduce(torch.bincount(labels, minlength=CLASSES), "sum")
            loss = (losses / counts[labels]).sum() / CLASSES
            optimizer.zero_grad()
            accelerator.backward(loss * 2)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
