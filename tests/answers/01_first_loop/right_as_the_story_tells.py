# why: the steps of the lesson in their order; another name for the accelerator, zero_grad at the end (V1, V25)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    acc = Accelerator(device_placement=True)
    train_loader, _ = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)

    model, optimizer, train_loader = acc.prepare(model, optimizer, train_loader)

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            loss = model(**batch).loss
            acc.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
