# fails: every_row_once
# says: only rank 0 evaluates
# where: for batch in loader:
# kind: M32 the main process evaluates a prepared loader


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits, said, true = 0, 0, 0
    for batch in loader:
        predictions = model(**batch).logits.argmax(dim=-1)
        hits += ((predictions == 1) & (batch["labels"] == 1)).sum().item()
        said += (predictions == 1).sum().item()
        true += (batch["labels"] == 1).sum().item()
    return 2 * hits / max(said + true, 1)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(model, optimizer, train_loader, eval_loader)
    f1 = 0.0
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            accelerator.backward(model(**batch).loss)
            optimizer.step()
        if accelerator.is_main_process:
            f1 = evaluate(accelerator.unwrap_model(model), eval_loader)
            print(f"epoch {epoch}: F1 {f1:.4f}")
        accelerator.wait_for_everyone()
    return f1
