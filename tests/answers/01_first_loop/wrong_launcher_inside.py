# fails: one_accelerator
# says: calls notebook_launcher itself
# where: notebook_launcher(one_process, (batch_size, epochs, seed), num_processes=2)
# kind: the launcher is called inside the function that is launched


def one_process(batch_size, epochs, seed):
    set_seed(seed)
    accelerator = Accelerator()
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


def training_loop(batch_size=16, epochs=3, seed=42):
    notebook_launcher(one_process, (batch_size, epochs, seed), num_processes=2)
