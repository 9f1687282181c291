# why: looks at a first batch, then always holds the next batch while it trains on this one


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)
    accelerator.print("images are", next(iter(train_loader))["image"].shape)
    for epoch in range(epochs):
        model.train()
        batches = iter(train_loader)
        batch = next(batches)
        while batch is not None:
            coming = next(batches, None)
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            batch = coming
