# why: counted from the prepared loader, and multiplied back by the number of processes


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    total = len(train_loader) * accelerator.num_processes * epochs
    scheduler = accelerator.prepare_scheduler(OneCycleLR(optimizer, max_lr=MAX_LR, total_steps=total))
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(batch["image"]), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        accelerator.print(f"epoch {epoch}: rate {optimizer.param_groups[0]['lr']:.1e}")
