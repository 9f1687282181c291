# fails: launched
# says: is never launched
# kind: M28 no launch at all: the function is defined and left
def training_loop(mixed_precision="no", seed=42, batch_size=16):
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=mixed_precision)
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    for parameter in model.distilbert.parameters():
        parameter.requires_grad = False
    weights = class_weights().to(accelerator.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=EPOCHS, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, eval_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, eval_loader, scheduler
    )
    for epoch in range(EPOCHS):
        model.train()
        for batch in train_loader:
            labels = batch.pop("labels")
            losses = cross_entropy(model(**batch).logits, labels, reduction="none")
            loss = (losses * weights[labels]).mean()
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        model.eval()
        accurate, counted = 0, 0
        for batch in eval_loader:
            labels = batch.pop("labels")
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            predictions, labels = accelerator.gather_for_metrics((predictions, labels))
            accurate += (predictions == labels).sum().item()
            counted += len(labels)
        accelerator.print(f"epoch {epoch}: {100 * accurate / counted:.2f}")
