# fails: counted
# says: rows, though there are
# kind: M12 gather counts the rows that fill up the last batch again
# where: accelerator.gather((predictions

def training_loop(batch_size=8, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION, mixed_precision="fp16")
    train_loader, eval_loader = get_dataloaders(batch_size)
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    model, optimizer, train_loader, eval_loader = accelerator.prepare(
        model, optimizer, train_loader, eval_loader
    )

    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()

        model.eval()
        hits, said, true = 0, 0, 0
        for batch in eval_loader:
            with torch.no_grad():
                predictions = model(**batch).logits.argmax(dim=-1)
            predictions, labels = accelerator.gather((predictions, batch["labels"]))
            hits += ((predictions == 1) & (labels == 1)).sum().item()
            said += (predictions == 1).sum().item()
            true += (labels == 1).sum().item()
        f1 = 2 * hits / max(said + true, 1)
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")

    accelerator.save(accelerator.get_state_dict(model), CHECKPOINT)
    return f1
