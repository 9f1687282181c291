# fails: one_accelerator
# says: made outside training_loop
# where: accelerator = Accelerator()
# kind: M25 Accelerator made before the launch

accelerator = Accelerator()


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            outputs = model(**batch)
            loss = outputs.loss
            accelerator.backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
