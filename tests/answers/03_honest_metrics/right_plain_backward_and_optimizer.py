# why: in full precision without accumulation loss.backward() and an unprepared optimizer do the same (V23)


def training_loop(batch_size=16, epochs=3, seed=42):
    set_seed(seed)
    accelerator = Accelerator()
    model = accelerator.prepare(make_model())
    train_loader, eval_loader = accelerator.prepare(*get_dataloaders(batch_size))
    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    for epoch in range(epochs):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
        model.eval()
        answers = []
        for batch in eval_loader:
            with torch.no_grad():
                batch["said"] = model(**batch).logits.argmax(dim=-1)
            whole = accelerator.gather_for_metrics(batch)
            answers.append(torch.stack([whole["said"], whole["labels"]]))
        said, true = torch.cat(answers, dim=1)
        f1 = (2 * (said * true).sum() / (said + true).sum().clamp(min=1)).item()
        accelerator.print(f"epoch {epoch}: F1 {f1:.4f}")
    return f1
