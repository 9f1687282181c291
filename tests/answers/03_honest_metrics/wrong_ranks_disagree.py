# fails: same_answer
# says: do not agree
# where: gathered = accelerator.gather_for_metrics((predictions, labels))
# kind: M13 the main process counts all rows, the other only its own


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
        hits, said, true = 0, 0, 0
        for batch in eval_loader:
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            labels = batch["labels"]
            gathered = accelerator.gather_for_metrics((predictions, labels))
            if accelerator.is_main_process:
                predictions, labels = gathered
            hits += ((predictions == 1) & (labels == 1)).sum().item()
            said += (predictions == 1).sum().item()
            true += (labels == 1).sum().item()
        f1 = 2 * hits / max(said + true, 1)
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
