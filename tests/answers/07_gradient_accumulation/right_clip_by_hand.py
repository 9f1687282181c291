# why: the norm and the scaling written out

def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION)
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    gradients = [p.grad for p in model.parameters() if p.grad is not None]
                    norm = torch.sqrt(sum((g**2).sum() for g in gradients))
                    for gradient in gradients:
                        gradient.mul_(torch.clamp(MAX_NORM / (norm + 1e-6), max=1.0))
                optimizer.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
