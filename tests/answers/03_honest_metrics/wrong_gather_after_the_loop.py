# fails: every_row_once
# says: counted again
# where: predictions, labels = accelerator.gather_for_metrics((torch.cat(predictions), torch.cat(labels)))
# kind: M12 gather_for_metrics after the loop no longer knows which rows fill up


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
        predictions, labels = [], []
        for batch in eval_loader:
            with torch.no_grad():
                predictions.append(model(**batch).logits.argmax(dim=-1))
            labels.append(batch["labels"])
        predictions, labels = accelerator.gather_for_metrics((torch.cat(predictions), torch.cat(labels)))
        hits = ((predictions == 1) & (labels == 1)).sum().item()
        f1 = 2 * hits / max((predictions == 1).sum().item() + (labels == 1).sum().item(), 1)
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
