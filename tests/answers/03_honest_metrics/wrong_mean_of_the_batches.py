# fails: every_row_once
# says: mean of the batches' F1
# where: for batch in eval_loader:
# kind: M12 an F1 for each batch, then their mean


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()

        model.eval()
        scores = []
        for batch in eval_loader:
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
            hits = ((predictions == 1) & (labels == 1)).sum().item()
            scores.append(2 * hits / max((predictions == 1).sum().item() + (labels == 1).sum().item(), 1))
        f1 = sum(scores) / len(scores)
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
