# why: the steps of the lesson in their order; predictions and labels gathered one after the other


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    acc = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = acc.prepare(model, optimizer, train_loader, eval_loader)

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            loss = model(**batch).loss
            acc.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

        model.eval()
        hits = said = true = 0
        for batch in eval_loader:
            with torch.no_grad():
                logits = model(**batch).logits
            predicted = acc.gather_for_metrics(logits).argmax(-1)
            labels = acc.gather_for_metrics(batch["labels"])
            hits += int((predicted & labels).sum())
            said += int(predicted.sum())
            true += int(labels.sum())
        f1 = 2 * hits / max(said + true, 1)
        acc.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
