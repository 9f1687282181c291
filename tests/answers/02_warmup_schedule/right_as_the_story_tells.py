# why: the lesson's own way: counted before prepare, and prepared with the rest


def training_loop(batch_size=16, epochs=3, seed=42):
    """What plain_loop does, on any number of processes."""
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            images, labels = batch["image"], batch["label"]
            loss = cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}, rate {scheduler.get_last_lr()[0]:.1e}")
