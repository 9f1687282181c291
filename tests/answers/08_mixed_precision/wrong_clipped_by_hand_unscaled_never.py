# fails: clipped
# says: used while they are still multiplied
# kind: M11

def training_loop(batch_size=16, epochs=2, seed=42):
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=PRECISION)
    train_loader, eval_loader = get_dataloaders(batch_size)
    backbone = make_backbone().to(accelerator.device)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            images, labels = batch["image"], batch["label"]
            optimizer.zero_grad()
            with torch.no_grad(), accelerator.autocast():
                features = backbone(images)
            loss = pet_loss(model(features), labels)
            accelerator.backward(loss)
            norm = torch.stack([it.grad.norm() for it in model.parameters()]).norm()
            for it in model.parameters():
                it.grad.mul_((MAX_NORM / (norm + 1e-6)).clamp(max=1.0))
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
