# fails: one_accelerator
# says: never makes an Accelerator
# where: def training_loop(batch_size=16, epochs=3, seed=42):
# kind: M14 the plain loop copied, nothing refactored


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
