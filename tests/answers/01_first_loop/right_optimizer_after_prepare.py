# why: the optimizer is made from the prepared model's parameters, and prepared afterwards (V6)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    device = accelerator.device
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = accelerator.prepare(make_model())
    optimizer = torch.optim.SGD([{"params": model.parameters()}], lr=LEARNING_RATE)
    optimizer, train_loader = accelerator.prepare(optimizer, train_loader)

    def step(batch):
        optimizer.zero_grad()
        loss = model(**{k: v.to(device) for k, v in batch.items()}).loss  # already there: harmless
        accelerator.backward(loss)
        optimizer.step()
        return loss.item()

    for epoch in range(epochs):
        model.train()
        *_, last = map(step, train_loader)
        print(f"epoch {epoch}: loss {last:.4f}")
