# fails: every_row_once
# says: counted again
# where: counts += accelerator.gather_for_metrics(mine.unsqueeze(0)).sum(dim=0)
# kind: M12 gather_for_metrics on a count per batch, not on rows


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
        counts = torch.zeros(3, device=accelerator.device)
        for batch in eval_loader:
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            labels = batch["labels"]
            mine = torch.stack([(predictions * labels).sum(), predictions.sum(), labels.sum()])
            counts += accelerator.gather_for_metrics(mine.unsqueeze(0)).sum(dim=0)
        f1 = (2 * counts[0] / (counts[1] + counts[2]).clamp(min=1)).item()
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
