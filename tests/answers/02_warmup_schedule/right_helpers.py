# why: helper functions: one makes and prepares everything, one trains an epoch (V7)


def build(accelerator, batch_size, epochs):
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    return accelerator.prepare(model, optimizer, train_loader, scheduler)


def train_epoch(accelerator, model, optimizer, loader, scheduler):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        loss = cross_entropy(model(batch["image"]), batch["label"])
        accelerator.backward(loss)
        optimizer.step()
        scheduler.step()
    return loss.item()


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    parts = build(accelerator, batch_size, epochs)
    for epoch in range(epochs):
        loss = train_epoch(accelerator, *parts)
        accelerator.print(f"epoch {epoch}: loss {loss:.4f}, learning rate {parts[3].get_last_lr()[0]:.1e}")
