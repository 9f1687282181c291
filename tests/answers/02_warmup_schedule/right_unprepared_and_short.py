# why: the scheduler stays out of prepare, its length is counted after it (V21)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    # made from the prepared pieces: one step of the schedule is one step of the optimizer
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        accelerator.print(epoch, loss.item(), scheduler.get_last_lr())
