# fails: one_accelerator
# says: wait for each other
# where: model = accelerator.prepare(model)
# kind: M03 prepare under is_main_process hangs


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    optimizer, train_loader = accelerator.prepare(optimizer, train_loader)
    if accelerator.is_main_process:
        model = accelerator.prepare(model)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            outputs = model(**batch)
            loss = outputs.loss
            accelerator.backward(loss)
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
