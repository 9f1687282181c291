# why: the scheduler moves at the start of every step except the very first: the same order of steps


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)
    first = True
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            if not first:
                scheduler.step()
            first = False
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
