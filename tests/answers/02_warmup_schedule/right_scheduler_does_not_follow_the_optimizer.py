# why: step_scheduler_with_optimizer=False moves a prepared scheduler once a call; counted after prepare, that is right


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(step_scheduler_with_optimizer=False)
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    scheduler = accelerator.prepare(scheduler)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
