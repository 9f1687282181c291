# why: one endless stream of batches and a step counter (V18)


def endless(loader):
    while True:
        yield from loader


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)
    stream = endless(train_loader)
    done, todo = 0, epochs * len(train_loader)
    model.train()
    while done < todo:
        batch = next(stream)
        optimizer.zero_grad()
        loss = cross_entropy(model(batch["image"]), batch["label"])
        accelerator.backward(loss)
        optimizer.step()
        scheduler.step()
        done += 1
        if done % len(train_loader) == 0:
            accelerator.print(f"step {done}: loss {loss.item():.4f}")
