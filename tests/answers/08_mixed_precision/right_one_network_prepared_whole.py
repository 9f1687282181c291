# why: backbone and head in one module, which is prepared and casts for both

def training_loop(batch_size=16, epochs=2, seed=42):
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=PRECISION)
    train_loader, eval_loader = get_dataloaders(batch_size)
    head = make_model()
    model = torch.nn.Sequential(make_backbone(), head)
    optimizer = torch.optim.SGD(head.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        head.train()
        for batch in train_loader:
            images, labels = batch["image"], batch["label"]
            optimizer.zero_grad()
            loss = pet_loss(model(images), labels)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
