# why: head and backbone in groups of their own, with the same schedule for both


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    head = list(model.get_classifier().parameters())
    groups = [{"params": model.backbone.parameters()}, {"params": head}]
    optimizer = torch.optim.Adam(groups, lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, [MAX_LR, MAX_LR], epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        accelerator.print(f"epoch {epoch}: {scheduler.get_last_lr()}")
