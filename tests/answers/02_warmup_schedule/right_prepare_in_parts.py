# why: prepare in several calls and in another order, the total counted as one number (V2)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    acc = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    total_steps = len(train_loader) * epochs
    train_loader, eval_loader = acc.prepare(train_loader, eval_loader)
    model = acc.prepare(make_model())
    optimizer = acc.prepare(torch.optim.Adam(model.parameters(), lr=MAX_LR / 25))
    scheduler = acc.prepare(OneCycleLR(optimizer, max_lr=MAX_LR, total_steps=total_steps))
    for epoch in range(epochs):
        model.train()
        for step, batch in enumerate(train_loader):
            optimizer.zero_grad()
            logits = model(batch["image"])
            loss = cross_entropy(logits, batch["label"])
            acc.backward(loss)
            optimizer.step()
            scheduler.step()
        acc.print(f"epoch {epoch} after {step + 1} steps: {loss.item():.4f}")
