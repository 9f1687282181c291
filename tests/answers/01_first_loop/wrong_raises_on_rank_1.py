# fails: one_accelerator
# says: on rank 1
# where: print(f"{name[accelerator.process_index]} begins epoch {epoch}")
# kind: a dictionary has an entry for the main process only


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    name = {0: "main"}
    for epoch in range(epochs):
        model.train()
        print(f"{name[accelerator.process_index]} begins epoch {epoch}")
        for batch in train_loader:
            optimizer.zero_grad()
            outputs = model(**batch)
            loss = outputs.loss
            accelerator.backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
