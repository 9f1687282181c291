# why: optimizer.step takes a closure that does forward and backward (V22)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:

            def closure():
                optimizer.zero_grad()
                loss = model(**batch).loss
                accelerator.backward(loss)
                return loss

            optimizer.step(closure)
        print(f"epoch {epoch} done")
