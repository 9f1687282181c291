# why: inside accumulate with a count of one, and the rate written to a list (V10)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(gradient_accumulation_steps=1)
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=epochs, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)
    rates = []
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = cross_entropy(model(batch["image"]), batch["label"])
                accelerator.backward(loss)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            rates.append(scheduler.get_last_lr()[0])
    accelerator.print(f"highest rate {max(rates):.1e}, last rate {rates[-1]:.1e}")
