# fails: moves
# says: never moved to the accelerator's device
# where: weights[labels]
# kind: M39 a constant passed to prepare, which gives it back as it was
def training_loop(mixed_precision="no", seed=42, batch_size=16):
    set_seed(seed)
    accelerator = Accelerator(mixed_precision=mixed_precision)
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    for parameter in model.distilbert.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.Adam(model.parameters(), lr=MAX_LR / 25)
    scheduler = OneCycleLR(optimizer, max_lr=MAX_LR, epochs=EPOCHS, steps_per_epoch=len(train_loader))
    model, optimizer, train_loader, eval_loader, scheduler, weights = accelerator.prepare(
        model, optimizer, train_loader, eval_loader, scheduler, class_weights()
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


args = ("no", 42, 16)
notebook_launcher(training_loop, args, num_processes=2)
