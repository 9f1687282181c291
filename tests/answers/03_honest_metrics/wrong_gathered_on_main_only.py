# fails: one_training
# says: wait for each other
# where: predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
# kind: M03 gather under is_main_process hangs


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
            if accelerator.is_main_process:
                predictions, labels = accelerator.gather_for_metrics((predictions, batch["labels"]))
                hits += ((predictions == 1) & (labels == 1)).sum().item()
                said += (predictions == 1).sum().item()
                true += (labels == 1).sum().item()
        f1 = 2 * hits / max(said + true, 1)
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
