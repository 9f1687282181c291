# fails: clipped
# says: twice before one step
# kind: M11
# where: accelerator.clip_grad_norm_

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
            accelerator.unscale_gradients()
            accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f}")
